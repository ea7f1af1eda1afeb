import { backOff, withRetries } from '../concurrency.ts';
import { type ParsedAnswer, parseAnswer, stripReasoning, type VisionAnswer } from './answer.ts';
import { type AnalysisConfig, STRUCTURED_MODES } from './config.ts';
import {
  type Instructions,
  parseTranslated,
  REPAIR_REQUEST,
  schemaOf,
  shapeRequest,
  type TranslatedAnswer,
} from './prompt.ts';
import {
  type StructuredMode,
  VisionFailure,
  type VisionProvider,
  type VisionQuestion,
  type VisionReply,
} from './vision-provider.ts';

/** A model's answer: in one language, or in several. */
export type ModelAnswer = VisionAnswer | TranslatedAnswer;

/** Outcome of a question. */
export type AskOutcome =
  | { status: 'completed'; answer: ModelAnswer }
  | { status: 'refused' }
  | { status: 'timeout' }
  | { status: 'failed'; httpStatus: number | null };

const FIRST_WAIT_MS = 500;
const MAX_REPEATED_CHARACTERS = 4000;
/** Part of the time limit that each language beside the first adds: a long answer takes longer. */
const TIME_PER_LANGUAGE = 0.5;
const REFUSAL =
  /\b(?:sorry|can(?:no|['’]?)t|unable|won['’]t|refuse|not able|policy|entschuldigung|kann (?:ich )?nicht)\b/i;

/**
 * Asks about one image; failures are outcomes. @throws the signal's reason alone
 * @param waitedMs part of the time limit that is used up already
 */
export type Asker = (
  instructions: Instructions,
  jpeg: Uint8Array,
  signal: AbortSignal,
  waitedMs?: number,
) => Promise<AskOutcome>;

interface State {
  readonly provider: VisionProvider;
  readonly maxRetries: number;
  readonly structured: AnalysisConfig['AI_STRUCTURED'];
  /** Strictest mode that has worked. */
  mode: StructuredMode;
}

/** Creates the function that asks about one image: strictest supported mode, one repair request, one time limit over all. */
export function createAsker(
  provider: VisionProvider,
  config: Pick<AnalysisConfig, 'AI_STRUCTURED' | 'AI_TIMEOUT_MS' | 'AI_MAX_RETRIES'>,
): Asker {
  const { AI_STRUCTURED: structured, AI_TIMEOUT_MS: timeoutMs, AI_MAX_RETRIES: maxRetries } = config;
  const mode = structured === 'auto' ? 'json_schema' : structured;
  const state: State = { provider, maxRetries, structured, mode };
  return async (instructions, jpeg, signal, waitedMs = 0) => {
    const limitMs = timeoutMs * (1 + TIME_PER_LANGUAGE * furtherLanguages(instructions));
    const deadline = startDeadline(limitMs - waitedMs, signal);
    try {
      return await converse(state, instructions, jpeg, deadline);
    } catch (error) {
      signal.throwIfAborted();
      if (deadline.signal.aborted) return { status: 'timeout' };
      return { status: 'failed', httpStatus: error instanceof VisionFailure ? error.status : null };
    } finally {
      deadline.end();
    }
  };
}

/** Asks for an answer, and once more if it is unusable. */
async function converse(
  state: State,
  instructions: Instructions,
  jpeg: Uint8Array,
  deadline: Deadline,
): Promise<AskOutcome> {
  const image = { data: jpeg, mediaType: 'image/jpeg' as const };
  const { question, reply } = await askInSupportedMode(state, instructions, image, deadline);
  const first = parse(reply.text, instructions);
  if (first.answer) return { status: 'completed', answer: first.answer };
  // A refused question is not repeated: it would cost the same again.
  if (reply.filtered || (first.prose && !reply.truncated && refuses(reply.text))) return { status: 'refused' };
  const answer = reply.text.slice(0, MAX_REPEATED_CHARACTERS);
  const repair = { answer, fault: `${first.fault} ${REPAIR_REQUEST}` };
  const second = parse((await askWithRetries(state, { ...question, repair }, deadline)).text, instructions);
  return second.answer ? { status: 'completed', answer: second.answer } : { status: 'failed', httpStatus: 200 };
}

function parse(text: string, { languages }: Instructions): ParsedAnswer<ModelAnswer> {
  return languages ? parseTranslated(text, languages) : parseAnswer(text);
}

const furtherLanguages = ({ languages }: Instructions): number => (languages?.length ?? 1) - 1;

/** Asks in the strictest mode, and in less strict ones while the service does not support it. */
async function askInSupportedMode(
  state: State,
  instructions: Instructions,
  image: VisionQuestion['image'],
  deadline: Deadline,
): Promise<{ question: VisionQuestion; reply: VisionReply }> {
  const { system, prompt } = instructions;
  const schema = schemaOf(instructions);
  const { structured } = state;
  const modes = structured === 'auto' ? STRUCTURED_MODES.slice(STRUCTURED_MODES.indexOf(state.mode)) : [structured];
  for (const mode of modes) {
    const question: VisionQuestion = {
      // The other modes take no schema, so the prompt describes it.
      system: mode === 'json_schema' ? system : `${system}\n\n${shapeRequest(schema)}`,
      prompt,
      image,
      shape: { mode, name: 'image_metadata', schema },
      furtherLanguages: furtherLanguages(instructions),
    };
    try {
      const reply = await askWithRetries(state, question, deadline);
      state.mode = mode;
      return { question, reply };
    } catch (error) {
      const another = error instanceof VisionFailure && error.kind === 'unsupported' && mode !== modes.at(-1);
      if (!another) throw error;
    }
  }
  throw new VisionFailure('unsupported', null);
}

/** Asks, and repeats after transient failures. */
async function askWithRetries(
  { provider, maxRetries }: State,
  question: VisionQuestion,
  deadline: Deadline,
): Promise<VisionReply> {
  const { signal } = deadline;
  const waitAfter = (error: unknown, failures: number) => {
    signal.throwIfAborted();
    if (!(error instanceof VisionFailure) || error.kind !== 'transient' || failures > maxRetries) return undefined;
    const waitMs = error.retryAfterMs ?? backOff(failures, { firstMs: FIRST_WAIT_MS });
    // A retry after the deadline cannot succeed, so the failure is reported at once.
    return waitMs < deadline.leftMs() ? waitMs : undefined;
  };
  return await withRetries(() => provider.ask(question, signal), waitAfter, signal);
}

/** Detects a refusal outside the model's reasoning; an empty reply counts as one. */
function refuses(text: string): boolean {
  return text.trim() === '' || REFUSAL.test(stripReasoning(text));
}

interface Deadline {
  signal: AbortSignal;
  leftMs(): number;
  end(): void;
}

/** Starts one time limit over all attempts. Its signal also aborts with the outer one. */
export function startDeadline(timeoutMs: number, outer: AbortSignal): Deadline {
  const endsAt = performance.now() + timeoutMs;
  const controller = new AbortController();
  const abort = () => controller.abort(outer.reason);
  const timer = setTimeout(() => controller.abort(new Error('time limit')), timeoutMs);
  if (outer.aborted) abort();
  outer.addEventListener('abort', abort, { once: true });
  return {
    signal: controller.signal,
    leftMs: () => endsAt - performance.now(),
    end() {
      clearTimeout(timer);
      outer.removeEventListener('abort', abort);
    },
  };
}
