import { setTimeout as sleep } from 'node:timers/promises';
import type { AiReason } from '#contract';
import { backOff } from '../concurrency.ts';
import { type ParsedAnswer, parseAnswer, stripReasoning, type VisionAnswer } from './answer.ts';
import type { AnalysisConfig } from './config.ts';
import { type Deadline, startDeadline } from './deadline.ts';
import { CONSEQUENCES } from './failure-kinds.ts';
import {
  EMPTY_FAULT,
  EMPTY_REQUEST,
  type Instructions,
  parseTranslated,
  REPAIR_REQUEST,
  schemaOf,
  shapeRequest,
  type TranslatedAnswer,
  usablePart,
} from './prompt.ts';
import { createQuestionForm, type QuestionForm } from './question-form.ts';
import {
  type Probe,
  type StructuredMode,
  VisionFailure,
  type VisionProvider,
  type VisionQuestion,
  type VisionReply,
} from './vision-provider.ts';

/** A model's answer: in one language, or in several. */
export type ModelAnswer = VisionAnswer | TranslatedAnswer;

/** Reason for which a question has no answer, for the log and for the wait until the service is there. */
export interface Failed {
  status: 'failed';
  reason: AiReason;
  httpStatus: number | null;
  /** Code of the failed connection. */
  cause: string | null;
  /** Questions that were sent. */
  requests: number;
  /** True if the model has replied, which costs money also if its reply is of no use. */
  replied: boolean;
  retryAfterMs: number | null;
  probe: Probe | null;
}

/** Outcome of a question. */
export type AskOutcome = { status: 'completed'; answer: ModelAnswer } | Failed;

const FIRST_WAIT_MS = 500;
const MAX_REPEATED_CHARACTERS = 4000;
/** Part of the time limit that each language beside the first adds: a long answer takes longer. */
const TIME_PER_LANGUAGE = 0.5;
/** Enough for models that reason before they answer; an answer itself takes about 150. */
const MAX_TOKENS = 2000;
/** Added for each language beside the first: scripts such as Devanagari take several tokens a word. */
const TOKENS_PER_LANGUAGE = 500;
/** For a context that is too small. */
const FEW_TOKENS = 700;
const REFUSAL =
  /\b(?:sorry|can(?:no|['’]?)t|unable|won['’]t|refuse|not able|policy|entschuldigung|kann (?:ich )?nicht)\b/i;

/** Picture to ask about, and how to get a smaller one of it. */
export interface Picture {
  jpeg: Uint8Array;
  smaller: () => Promise<Uint8Array | null>;
}

/** Asks about one image; failures are outcomes. @throws the signal's reason alone */
export type Asker = (instructions: Instructions, picture: Picture, signal: AbortSignal) => Promise<AskOutcome>;

type AskerConfig = Pick<AnalysisConfig, 'AI_STRUCTURED' | 'AI_TIMEOUT_MS' | 'AI_MAX_RETRIES'>;

/** One image's conversation with the model. */
interface Conversation {
  readonly provider: VisionProvider;
  readonly maxRetries: number;
  readonly form: QuestionForm;
  readonly instructions: Instructions;
  readonly picture: Picture;
  readonly deadline: Deadline;
  requests: number;
  replied: boolean;
  /** Questions that were sent again, by reason. */
  readonly again: Map<string, number>;
}

/** Form of the next question. */
interface Attempt {
  mode: StructuredMode;
  small: Uint8Array | null;
  maxTokens: number;
  repair?: VisionQuestion['repair'];
}

/** Creates the function that asks about one image: by kind of failure the next question, one time limit over all. */
export function createAsker(provider: VisionProvider, config: AskerConfig, now = () => performance.now()): Asker {
  const { AI_STRUCTURED, AI_TIMEOUT_MS, AI_MAX_RETRIES: maxRetries } = config;
  const form = createQuestionForm(AI_STRUCTURED, now);
  return async (instructions, picture, signal) => {
    const deadline = startDeadline(AI_TIMEOUT_MS * (1 + TIME_PER_LANGUAGE * furtherLanguages(instructions)), signal);
    const again = new Map<string, number>();
    const talk: Conversation = {
      ...{ provider, maxRetries, form, instructions, picture, deadline, again },
      requests: 0,
      replied: false,
    };
    try {
      return await converse(talk);
    } catch (error) {
      signal.throwIfAborted();
      return failed(talk, deadline.signal.aborted ? 'slow' : reasonOf(error), error);
    } finally {
      deadline.end();
    }
  };
}

const reasonOf = (error: unknown): AiReason => (error instanceof VisionFailure ? error.kind : 'broken');

function failed({ requests, replied }: Conversation, reason: AiReason, error?: unknown): Failed {
  const failure = error instanceof VisionFailure ? error : null;
  return {
    status: 'failed',
    reason,
    httpStatus: failure ? failure.status : replied ? 200 : null,
    cause: failure?.causeCode ?? null,
    requests,
    replied,
    retryAfterMs: failure?.retryAfterMs ?? null,
    probe: failure?.probe ?? null,
  };
}

async function converse(talk: Conversation): Promise<AskOutcome> {
  const { form, instructions, picture } = talk;
  let attempt: Attempt = {
    mode: form.mode(),
    small: form.isSmall() ? await picture.smaller() : null,
    maxTokens: MAX_TOKENS + TOKENS_PER_LANGUAGE * furtherLanguages(instructions),
  };
  for (;;) {
    const asked = await askOnce(talk, attempt);
    if (asked instanceof VisionFailure) {
      const next = await afterFailure(talk, attempt, asked);
      if (!next) throw asked;
      attempt = next;
      continue;
    }
    const judged = judge(asked, instructions);
    if ('answer' in judged) {
      form.worked(attempt.mode, attempt.small !== null);
      return { status: 'completed', answer: judged.answer };
    }
    // One more answer in all: it costs the same again.
    if (!mayAskAgain(talk, 'answer', CONSEQUENCES[judged.reason].more)) return failed(talk, judged.reason);
    attempt = afterReply(attempt, judged, asked);
  }
}

async function askOnce(talk: Conversation, attempt: Attempt): Promise<VisionReply | VisionFailure> {
  const { signal } = talk.deadline;
  talk.requests += 1;
  try {
    const reply = await talk.provider.ask(questionOf(talk, attempt), signal);
    talk.replied = true;
    return reply;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof VisionFailure) return error;
    throw error;
  }
}

function questionOf({ instructions, picture }: Conversation, attempt: Attempt): VisionQuestion {
  const { mode, small, maxTokens, repair } = attempt;
  const schema = schemaOf(instructions);
  return {
    // The other modes take no schema, so the prompt describes it.
    system: mode === 'json_schema' ? instructions.system : `${instructions.system}\n\n${shapeRequest(schema)}`,
    prompt: instructions.prompt,
    image: { data: small ?? picture.jpeg, mediaType: 'image/jpeg' },
    shape: { mode, name: 'image_metadata', schema },
    maxTokens,
    ...(repair ? { repair } : {}),
  };
}

/** Counts a further question of a kind; false: there were as many as the kind allows. */
function mayAskAgain({ again }: Conversation, kind: string, most: number | undefined): boolean {
  const count = again.get(kind) ?? 0;
  if (most !== undefined && count >= most) return false;
  again.set(kind, count + 1);
  return true;
}

/** Returns the question after a failure; null: the failure is final, or the images wait for the service together. */
async function afterFailure(talk: Conversation, attempt: Attempt, failure: VisionFailure): Promise<Attempt | null> {
  const { form, picture, maxRetries, deadline } = talk;
  const { next, more } = CONSEQUENCES[failure.kind];
  const limit = next === 'again' ? maxRetries : more;
  if (next === 'wait' || next === 'none' || !mayAskAgain(talk, failure.kind, limit)) return null;
  switch (next) {
    case 'again': {
      const failures = talk.again.get(failure.kind) ?? 1;
      const waitMs = failure.retryAfterMs ?? backOff(failures, { firstMs: FIRST_WAIT_MS });
      // A retry after the deadline cannot succeed, so the failure is reported at once.
      if (waitMs >= deadline.leftMs()) return null;
      await sleep(waitMs, undefined, { signal: deadline.signal });
      return attempt;
    }
    case 'otherMode': {
      const mode = form.modeAfter(attempt.mode, failure.isNamed);
      return mode && { ...attempt, mode };
    }
    case 'smaller': {
      const small = attempt.small ? null : await picture.smaller();
      return small && { ...attempt, small, maxTokens: FEW_TOKENS };
    }
    default:
      return null;
  }
}

interface Unusable {
  reason: 'refused' | 'cut_off' | 'empty' | 'unusable';
  fault: string;
}

/** Reads a reply: a description, or why it is none. */
function judge(reply: VisionReply, instructions: Instructions): { answer: ModelAnswer } | Unusable {
  const { answer, ...fault } = parse(reply.text, instructions) as ParsedAnswer<ModelAnswer> & { fault: string };
  const usable = answer && usablePart(answer, instructions);
  if (usable) return { answer: usable };
  if (reply.filtered) return { reason: 'refused', fault: '' };
  if (answer) return { reason: 'empty', fault: `${EMPTY_FAULT} ${EMPTY_REQUEST}` };
  if (reply.truncated) return { reason: 'cut_off', fault: '' };
  // A refused question is not repeated: it would cost the same again.
  if ('prose' in fault && fault.prose && refuses(reply.text)) return { reason: 'refused', fault: '' };
  const isSilent = reply.text.trim() === '';
  return { reason: isSilent ? 'empty' : 'unusable', fault: `${fault.fault} ${REPAIR_REQUEST}` };
}

/** Returns the question after a reply that is no description. */
function afterReply(attempt: Attempt, { reason, fault }: Unusable, { text }: VisionReply): Attempt {
  // What was cut off would be cut off again behind its own beginning.
  if (reason === 'cut_off') return { ...attempt, maxTokens: attempt.maxTokens * 2 };
  return { ...attempt, repair: { answer: text.slice(0, MAX_REPEATED_CHARACTERS), fault } };
}

function parse(text: string, { languages }: Instructions): ParsedAnswer<ModelAnswer> {
  return languages ? parseTranslated(text, languages) : parseAnswer(text);
}

const furtherLanguages = ({ languages }: Instructions): number => (languages?.length ?? 1) - 1;

/** Detects a refusal outside the model's reasoning. */
function refuses(text: string): boolean {
  return REFUSAL.test(stripReasoning(text));
}
