import { z } from 'zod';
import { integerText } from '#contract';

const url = () => z.url({ protocol: /^https?$/, error: 'expected an http or https URL' });
// Other characters would break the header that carries the key.
const key = () => z.string().regex(/^[\x21-\x7e]+$/, 'expected a key of printable characters without spaces');

/** The kinds of vision service that can be configured. */
const AI_PROVIDERS = ['none', 'openai-compatible', 'openai', 'anthropic', 'google'] as const;

/** Modes of structured output, strictest first. */
export const STRUCTURED_MODES = ['json_schema', 'json_object', 'text'] as const;

const OPENAI_ORIGIN = 'https://api.openai.com';
const likeOpenAi = (kind: string) => kind === 'openai' || kind === 'openai-compatible';

interface Addresses {
  AI_PROVIDER: (typeof AI_PROVIDERS)[number];
  AI_BASE_URL?: string | undefined;
  OPENAI_BASE_URL?: string | undefined;
}

/** Tests if `OPENAI_API_KEY`, which other programs share, belongs to the configured service. */
function mayHaveOpenAiKey({ AI_PROVIDER, AI_BASE_URL, OPENAI_BASE_URL }: Addresses): boolean {
  if (!likeOpenAi(AI_PROVIDER)) return false;
  if (AI_BASE_URL === undefined) return true;
  const meant = [
    OPENAI_ORIGIN,
    ...(URL.canParse(OPENAI_BASE_URL ?? '') ? [new URL(OPENAI_BASE_URL ?? '').origin] : []),
  ];
  return meant.includes(new URL(AI_BASE_URL).origin);
}

/** Environment variables of image analysis; keys are the variables' names. */
export const analysisConfig = z
  .object({
    AI_PROVIDER: z
      .enum(AI_PROVIDERS)
      .default('none')
      .describe('Vision service that describes images. With `none`, nothing is sent and only the files are read.'),
    AI_BASE_URL: url()
      .optional()
      .describe(
        'Base URL of the vision service, e.g. `http://127.0.0.1:11434/v1` for Ollama. Default: that of `OPENAI_BASE_URL`.',
      ),
    // Shared with other programs, so it is validated only when used.
    OPENAI_BASE_URL: z
      .string()
      .optional()
      .describe('Used when `AI_BASE_URL` is not set, with an OpenAI-like provider.'),
    AI_API_KEY: key()
      .optional()
      .describe('Key for the vision service; local ones need none. Default: that of `OPENAI_API_KEY`.'),
    OPENAI_API_KEY: z
      .string()
      .optional()
      .describe(
        'Used when `AI_API_KEY` is not set, with an OpenAI-like provider. Sent only to OpenAI or the host of `OPENAI_BASE_URL`.',
      ),
    AI_MODEL: z
      .string()
      .max(200)
      .optional()
      .describe('Name of the model, e.g. `qwen2.5vl`. Required with every provider.'),
    AI_STRUCTURED: z
      .enum(['auto', ...STRUCTURED_MODES])
      .default('auto')
      .describe('Mode of structured output; `auto` finds the strictest that the service supports.'),
    AI_TIMEOUT_MS: integerText(100, 600_000)
      .default(30_000)
      .describe(
        'Time limit of the model for one image in milliseconds, retries included; also the longest wait for a service that does not answer at its address.',
      ),
    AI_LOAD_TIMEOUT_MS: integerText(100, 3_600_000)
      .default(120_000)
      .describe('Longest wait for a model that is loading, in milliseconds, beside `AI_TIMEOUT_MS`.'),
    AI_MAX_RETRIES: integerText(0, 10).default(2).describe('Retries after a transient failure.'),
    AI_CONCURRENCY: integerText(1, 64)
      .optional()
      .describe('Concurrent requests to the vision service. Default: 4, with a local service 1.'),
    AI_IMAGE_MAX_EDGE: integerText(256, 4096)
      .default(1024)
      .describe('Longest edge in pixels of the image that is sent; 1.5 times as long for screenshots and documents.'),
    AI_DAILY_IMAGE_LIMIT: integerText(0, 100_000_000)
      .optional()
      .describe('Most images sent per day (UTC); the others are described from their files. Default: no limit.'),
    AI_CANARY: z
      .enum(['on', 'off'])
      .default('on')
      .describe('Capability check: a test image is sent after the start, to detect a service that ignores images.'),
  })
  .superRefine((given, context) => {
    const missing = (name: string, what: string) => {
      const message = `expected ${what}, because AI_PROVIDER is ${given.AI_PROVIDER}`;
      context.addIssue({ code: 'custom', path: [name], message });
    };
    if (given.AI_PROVIDER === 'none') return;
    const wrong = (name: 'OPENAI_BASE_URL' | 'OPENAI_API_KEY', schema: z.ZodType) => {
      const message = given[name] === undefined ? undefined : schema.safeParse(given[name]).error?.issues[0]?.message;
      if (message) context.addIssue({ code: 'custom', path: [name], message });
    };
    if (likeOpenAi(given.AI_PROVIDER)) {
      if (!given.AI_BASE_URL) wrong('OPENAI_BASE_URL', url());
      if (!given.AI_API_KEY && mayHaveOpenAiKey(given)) wrong('OPENAI_API_KEY', key());
    }
    if (!given.AI_MODEL) missing('AI_MODEL', "a model's name");
    if (given.AI_PROVIDER === 'openai-compatible') {
      if (!given.AI_BASE_URL && !given.OPENAI_BASE_URL) missing('AI_BASE_URL', 'the URL of the vision service');
    } else if (!given.AI_API_KEY && !(mayHaveOpenAiKey(given) && given.OPENAI_API_KEY)) {
      missing('AI_API_KEY', 'a key');
    }
  });

/** The analysis settings after parsing. */
export type AnalysisConfig = z.output<typeof analysisConfig>;

/** Vision service, resolved from the settings. */
export interface ProviderSettings {
  kind: Exclude<AnalysisConfig['AI_PROVIDER'], 'none'>;
  model: string;
  baseUrl: string | undefined;
  apiKey: string | undefined;
  /** True if the service runs on this machine or in this network. */
  local: boolean;
}

/** Resolves the provider's settings with their fallbacks; null if none is configured. */
export function providerSettings(config: AnalysisConfig): ProviderSettings | null {
  const kind = config.AI_PROVIDER;
  if (kind === 'none') return null;
  const fallBack = likeOpenAi(kind);
  const baseUrl = config.AI_BASE_URL ?? (fallBack ? config.OPENAI_BASE_URL : undefined);
  const apiKey = config.AI_API_KEY ?? (mayHaveOpenAiKey(config) ? config.OPENAI_API_KEY : undefined);
  return { kind, model: config.AI_MODEL ?? '', baseUrl, apiKey, local: baseUrl !== undefined && isLocal(baseUrl) };
}

/** Detects loopback, private addresses and host names without a public domain. */
function isLocal(baseUrl: string): boolean {
  const host = new URL(baseUrl).hostname.replace(/^\[|\]$/g, '');
  if (host.includes(':')) return /^(?:::1$|f[cd][0-9a-f]{2}:|fe[89ab][0-9a-f]:)/.test(host);
  if (/^[\d.]+$/.test(host)) return /^(?:127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)/.test(host);
  return !host.includes('.') || /\.(?:local|internal|lan)$/.test(host);
}
