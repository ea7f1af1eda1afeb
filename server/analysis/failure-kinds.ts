import type { AiReason, AiStatus } from '#contract';

/** Kind of a failed question. */
export type FailureKind = Exclude<AiReason, 'slow' | 'empty' | 'unusable'>;

/** Next step after a failure. `wait`: until the model is there, all images together. */
type Step = 'wait' | 'again' | 'smaller' | 'longer' | 'otherMode' | 'inOtherWords' | 'none';

interface Consequence {
  next: Step;
  /** Further questions about one image because of this kind; undefined: bounded by time alone. */
  more: number | undefined;
  /** State of the image if that did not help. */
  aiStatus: AiStatus;
  /** True if it concerns the service, so that other images fail as well. */
  isLasting: boolean;
}

/** Next steps by the reason of a failure, and how many questions they may cost. Retries are limited by AI_MAX_RETRIES. */
export const CONSEQUENCES: Record<AiReason, Consequence> = {
  loading: { next: 'wait', more: undefined, aiStatus: 'unavailable', isLasting: true },
  unreachable: { next: 'wait', more: undefined, aiStatus: 'unavailable', isLasting: true },
  overloaded: { next: 'again', more: undefined, aiStatus: 'failed', isLasting: false },
  broken: { next: 'again', more: undefined, aiStatus: 'failed', isLasting: false },
  cut_off: { next: 'longer', more: 1, aiStatus: 'failed', isLasting: false },
  too_long: { next: 'smaller', more: 1, aiStatus: 'failed', isLasting: false },
  unsupported: { next: 'otherMode', more: 2, aiStatus: 'failed', isLasting: false },
  empty: { next: 'inOtherWords', more: 1, aiStatus: 'failed', isLasting: false },
  unusable: { next: 'inOtherWords', more: 1, aiStatus: 'failed', isLasting: false },
  slow: { next: 'none', more: 0, aiStatus: 'timeout', isLasting: false },
  refused: { next: 'none', more: 0, aiStatus: 'refused', isLasting: false },
  no_images: { next: 'none', more: 0, aiStatus: 'unavailable', isLasting: true },
  no_model: { next: 'none', more: 0, aiStatus: 'failed', isLasting: true },
  key_refused: { next: 'none', more: 0, aiStatus: 'failed', isLasting: true },
  no_credit: { next: 'none', more: 0, aiStatus: 'failed', isLasting: true },
};

/** Remedies for the operator, by reason. */
export const REMEDIES: Record<AiReason, string> = {
  loading: 'the model is loading: wait, or load it before and keep it in memory (AI_LOAD_TIMEOUT_MS)',
  unreachable: 'nothing answers at AI_BASE_URL: start the service, or correct the address',
  slow: 'no answer within AI_TIMEOUT_MS: a longer limit, a smaller model, or a faster machine',
  overloaded: 'the service has too much to do: lower AI_CONCURRENCY, or ask its provider for a higher limit',
  cut_off: 'answers are cut off: a larger context of the model, or a model that reasons less',
  too_long: 'the question does not fit into the context of the model: enlarge it, or lower AI_IMAGE_MAX_EDGE',
  no_model: 'the service does not know the model AI_MODEL, or AI_BASE_URL lacks a part of its path such as /v1',
  key_refused: 'the service refuses AI_API_KEY: correct it',
  no_credit: 'the account at the service has no credit left: pay, or choose another service',
  no_images: 'it ignores images, or takes none: choose a model that sees (llama.cpp: give it the mmproj file)',
  unsupported: 'the service refuses the form of the question: set AI_STRUCTURED, or choose another service',
  refused: 'the model refuses to describe the image',
  empty: 'the answer had no text: choose a better model',
  unusable: 'the answer could not be read: choose a better model, or set AI_STRUCTURED',
  broken: 'the service has failed: look into its log',
};

/** Answer of a service to a question that failed. */
export interface FailedAnswer {
  /** HTTP status. */
  status: number;
  /** Body of the response. */
  body: string;
}

interface Sign {
  kind: FailureKind;
  /** Words of the message, the type or the code, in lower case. */
  says: RegExp;
  /** Statuses with which the words count. @default all */
  with?: readonly number[];
  by: string;
  source: string;
}

const LLAMA = 'https://github.com/ggml-org/llama.cpp/blob/master/tools/server';
const OPENAI = 'https://platform.openai.com/docs/guides/error-codes';
const AZURE = 'https://learn.microsoft.com/azure/ai-services/openai/concepts/content-filter';
const ANTHROPIC = 'https://docs.anthropic.com/en/api/errors';
const GOOGLE = 'https://ai.google.dev/gemini-api/docs/troubleshooting';
const OLLAMA = 'https://github.com/ollama/ollama/blob/main/server';
const LM_STUDIO = 'https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues';
const VLLM = 'https://github.com/vllm-project/vllm';
const LITELLM = 'https://docs.litellm.ai/docs/exception_mapping';
const OPENROUTER = 'https://openrouter.ai/docs/api/reference/errors-and-debugging';

/** Words by which services tell the kinds apart. The first sign that fits decides. */
export const SIGNS: readonly Sign[] = [
  { kind: 'no_images', says: /image input is not supported|provide the mmproj/, by: 'llama.cpp', source: LLAMA },
  { kind: 'no_images', says: /model does not support images/, by: 'LM Studio', source: `${LM_STUDIO}/362` },
  { kind: 'no_images', says: /no endpoints found that support image/, by: 'OpenRouter', source: OPENROUTER },
  { kind: 'no_images', says: /image_url is only supported by certain models/, by: 'OpenAI', source: OPENAI },
  { kind: 'no_images', says: /is not a multimodal model|at most 0 image/, by: 'vLLM', source: `${VLLM}/issues/23402` },
  { kind: 'no_images', says: /missing data required for image input/, by: 'Ollama', source: OLLAMA },
  { kind: 'no_images', says: /image input modality is not enabled/, by: 'Google', source: GOOGLE },
  {
    kind: 'no_images',
    says: /(?:not|n't) (?:support|accept|take|allow)s? (?:image|vision|multi-?modal)|takes no images|(?:images?|vision|multimodal)(?: inputs?)? (?:is|are) not (?:supported|enabled|allowed)|unknown variant .?image_url/,
    by: 'others',
    source: OPENROUTER,
  },
  { kind: 'too_long', says: /exceed_context_size|exceeds the available context/, by: 'llama.cpp', source: LLAMA },
  { kind: 'too_long', says: /context_length_exceeded|maximum context length is/, by: 'OpenAI, vLLM', source: OPENAI },
  { kind: 'too_long', says: /is longer than the (?:maximum model|model's context) length/, by: 'vLLM', source: VLLM },
  { kind: 'too_long', says: /prompt is too long|request_too_large/, by: 'Anthropic', source: ANTHROPIC },
  { kind: 'too_long', says: /input token count .*exceeds/, by: 'Google', source: GOOGLE },
  { kind: 'too_long', says: /contextwindowexceedederror/, by: 'LiteLLM', source: LITELLM },
  {
    kind: 'too_long',
    says: /when context the overflows|context size has been exceeded|initial prompt is greater than the context/,
    by: 'LM Studio',
    source: `${LM_STUDIO}/546`,
  },
  { kind: 'too_long', says: /prompt too long|exceeds? (?:maximum |max )?context/, by: 'Ollama', source: OLLAMA },
  { kind: 'refused', says: /content_filter|responsibleaipolicyviolation/, by: 'Azure', source: AZURE },
  { kind: 'refused', says: /content_policy_violation|safety system/, by: 'OpenAI', source: OPENAI },
  { kind: 'refused', says: /contentpolicyviolationerror/, by: 'LiteLLM', source: LITELLM },
  { kind: 'refused', says: /requires moderation|was flagged/, with: [403], by: 'OpenRouter', source: OPENROUTER },
  { kind: 'refused', says: /output blocked by content filtering/, by: 'Anthropic', source: ANTHROPIC },
  { kind: 'refused', says: /prohibited_content|blocked due to safety/, by: 'Google', source: GOOGLE },
  { kind: 'no_credit', says: /insufficient_quota|billing_hard_limit/, by: 'OpenAI', source: OPENAI },
  { kind: 'no_credit', says: /credit balance is too low|billing_error/, by: 'Anthropic', source: ANTHROPIC },
  { kind: 'no_credit', says: /insufficient credits/, by: 'OpenRouter', source: OPENROUTER },
  { kind: 'no_credit', says: /budget has been exceeded/, by: 'LiteLLM', source: LITELLM },
  { kind: 'key_refused', says: /invalid_api_key|incorrect api key/, by: 'OpenAI', source: OPENAI },
  { kind: 'key_refused', says: /invalid subscription key/, by: 'Azure', source: AZURE },
  { kind: 'key_refused', says: /authentication_error|permission_error/, by: 'Anthropic, llama.cpp', source: ANTHROPIC },
  { kind: 'key_refused', says: /api_key_invalid|api key not valid|permission_denied/, by: 'Google', source: GOOGLE },
  {
    kind: 'key_refused',
    says: /authenticationerror|invalid proxy server token|no_db_connection/,
    by: 'LiteLLM',
    source: LITELLM,
  },
  {
    kind: 'key_refused',
    says: /token_not_found_in_db|no api key passed in|authentication error/,
    by: 'LiteLLM',
    source: LITELLM,
  },
  { kind: 'no_model', says: /try pulling it first/, by: 'Ollama', source: OLLAMA },
  { kind: 'no_model', says: /no models loaded/, by: 'LM Studio', source: LM_STUDIO },
  { kind: 'no_model', says: /is not a valid model id/, by: 'OpenRouter', source: OPENROUTER },
  { kind: 'no_model', says: /invalid model name passed in/, by: 'LiteLLM', source: LITELLM },
  { kind: 'no_model', says: /deploymentnotfound/, by: 'Azure', source: AZURE },
  {
    kind: 'no_model',
    says: /model_not_found|model\b.{0,200} (?:not found|does not exist|is not found|not exist)/,
    by: 'OpenAI, vLLM, llama.cpp, Google',
    source: OPENAI,
  },
  {
    kind: 'loading',
    says: /loading (?:the )?model|model is (?:still |currently )?loading/,
    by: 'llama.cpp',
    source: LLAMA,
  },
  { kind: 'loading', says: /waiting for (?:the )?llama runner|llm server loading/, by: 'Ollama', source: OLLAMA },
  { kind: 'loading', says: /model (?:is being loaded|unloaded|is not ready)/, by: 'LM Studio', source: LM_STUDIO },
  {
    kind: 'unreachable',
    says: /connection error|cannot connect to host|connection refused|connect call failed|econnrefused/,
    with: [500, 502, 503, 504],
    by: 'LiteLLM',
    source: LITELLM,
  },
  { kind: 'unreachable', says: /runner (?:process )?(?:has |no longer )/, with: [500], by: 'Ollama', source: OLLAMA },
  {
    kind: 'overloaded',
    says: /overloaded|server busy|rate_limit|resource_exhausted/,
    by: 'several',
    source: ANTHROPIC,
  },
  { kind: 'overloaded', says: /no deployments available/, by: 'LiteLLM', source: LITELLM },
  {
    kind: 'unsupported',
    says: /response_format|json_schema|json_object|json mode|structured output|grammar|guided|schema|requested parameters/,
    with: [400, 404, 415, 422, 500, 501],
    by: 'OpenAI, LM Studio, vLLM, llama.cpp, OpenRouter',
    source: `${LM_STUDIO}/1`,
  },
];

/** Kinds by HTTP status where the words tell nothing. */
const BY_STATUS: Record<number, FailureKind> = {
  400: 'unsupported',
  401: 'key_refused',
  402: 'no_credit',
  403: 'key_refused',
  404: 'no_model',
  408: 'overloaded',
  409: 'overloaded',
  413: 'too_long',
  415: 'unsupported',
  422: 'unsupported',
  425: 'overloaded',
  429: 'overloaded',
  501: 'unsupported',
  502: 'unreachable',
  503: 'overloaded',
  504: 'unreachable',
  529: 'overloaded',
};

/** Returns the kind of a failure by status and words; `isNamed`: the words say it. */
export function kindOf({ status, body }: FailedAnswer): { kind: FailureKind; isNamed: boolean } {
  const words = wordsOf(body);
  const sign = SIGNS.find(({ says, with: statuses }) => (statuses?.includes(status) ?? true) && says.test(words));
  if (sign) return { kind: sign.kind, isNamed: true };
  return { kind: BY_STATUS[status] ?? (status < 500 && status >= 400 ? 'unsupported' : 'broken'), isNamed: false };
}

const MAX_WORDS = 2000;
/** Names of the fields that say what has failed; others may repeat the question. */
const TELLING = new Set(['message', 'type', 'code', 'status', 'reason', 'error', 'detail', 'param', 'innererror']);
const MAX_DEPTH = 4;

function wordsOf(body: string): string {
  let found: string[];
  try {
    found = telling(JSON.parse(body), MAX_DEPTH);
  } catch {
    found = [body];
  }
  return found.join(' ').slice(0, MAX_WORDS).toLowerCase();
}

function telling(value: unknown, depth: number): string[] {
  if (typeof value === 'string') return [value.slice(0, MAX_WORDS)];
  if (depth === 0 || typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.slice(0, MAX_DEPTH).flatMap((one) => telling(one, depth - 1));
  return Object.entries(value).flatMap(([name, one]) =>
    TELLING.has(name) || name === 'details' ? telling(one, depth - 1) : [],
  );
}

/** Reads a delay that the words of a failure ask for, in milliseconds: "Try again in 5 seconds". */
export function delayInWords(body: string): number | null {
  const found = /\b(?:try again|retry) (?:in|after) (\d{1,4}(?:\.\d+)?) ?s/i.exec(body.slice(0, MAX_WORDS));
  return found ? Number(found[1]) * 1000 : null;
}
