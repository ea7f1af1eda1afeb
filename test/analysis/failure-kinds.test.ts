import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { AI_REASONS } from '#contract';
import {
  CONSEQUENCES,
  delayInWords,
  type FailureKind,
  kindOf,
  REMEDIES,
  SIGNS,
} from '../../server/analysis/failure-kinds.ts';

const error = (message: string, more: object = {}) => JSON.stringify({ error: { message, ...more } });

/** Failures as services document or report them: service, status, body, kind. */
const TOLD: [string, number, string, FailureKind][] = [
  ['llama.cpp', 503, error('Loading model', { type: 'unavailable_error', code: 503 }), 'loading'],
  [
    'llama.cpp',
    400,
    error('request (5230 tokens) exceeds the available context size (2048 tokens), try increasing it', {
      type: 'exceed_context_size_error',
    }),
    'too_long',
  ],
  [
    'llama.cpp',
    500,
    error('image input is not supported - hint: if this is unexpected, you may need to provide the mmproj'),
    'no_images',
  ],
  ['llama.cpp', 400, error('model "tiny" not found', { type: 'invalid_request_error' }), 'no_model'],
  ['llama.cpp', 401, error('Invalid API Key', { type: 'authentication_error' }), 'key_refused'],
  ['llama.cpp', 400, error('Failed to parse grammar'), 'unsupported'],
  ['Ollama', 404, error('model "qwen" not found, try pulling it first', { type: 'api_error' }), 'no_model'],
  ['Ollama', 503, error('server busy, please try again.  maximum pending requests exceeded'), 'overloaded'],
  ['Ollama', 400, error('this model is missing data required for image input'), 'no_images'],
  ['Ollama', 500, error('timed out waiting for llama runner to start: context canceled'), 'loading'],
  ['LM Studio', 404, error('No models loaded. Please load a model in the developer page.'), 'no_model'],
  ['LM Studio', 400, '{"error":"Model does not support images. Please use a model that does."}', 'no_images'],
  ['LM Studio', 400, `{"error":"'response_format.type' must be 'json_schema' or 'text'"}`, 'unsupported'],
  ['LM Studio', 200, '{"error":"Trying to keep the first 11149 tokens when context the overflows."}', 'too_long'],
  ['vLLM', 404, error('The model `x` does not exist.', { type: 'NotFoundError', code: 404 }), 'no_model'],
  [
    'vLLM',
    400,
    error("This model's maximum context length is 2048 tokens. However, you requested 3000 tokens"),
    'too_long',
  ],
  ['vLLM', 400, error('x is not a multimodal model'), 'no_images'],
  ['OpenAI', 401, error('Incorrect API key provided: sk-…', { code: 'invalid_api_key' }), 'key_refused'],
  ['OpenAI', 429, error('You exceeded your current quota', { code: 'insufficient_quota' }), 'no_credit'],
  ['OpenAI', 429, error('Rate limit reached', { code: 'rate_limit_exceeded' }), 'overloaded'],
  [
    'OpenAI',
    404,
    error('The model `gpt-x` does not exist or you do not have access to it', { code: 'model_not_found' }),
    'no_model',
  ],
  [
    'OpenAI',
    400,
    error("Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model"),
    'unsupported',
  ],
  ['OpenAI', 400, error('Invalid content type. image_url is only supported by certain models.'), 'no_images'],
  [
    'Azure',
    400,
    error('The response was filtered', {
      code: 'content_filter',
      innererror: { code: 'ResponsibleAIPolicyViolation' },
    }),
    'refused',
  ],
  [
    'Azure',
    404,
    error('The API deployment for this resource does not exist.', { code: 'DeploymentNotFound' }),
    'no_model',
  ],
  ['Anthropic', 529, error('Overloaded', { type: 'overloaded_error' }), 'overloaded'],
  ['Anthropic', 401, error('invalid x-api-key', { type: 'authentication_error' }), 'key_refused'],
  [
    'Anthropic',
    400,
    error('prompt is too long: 210000 tokens > 200000 maximum', { type: 'invalid_request_error' }),
    'too_long',
  ],
  [
    'Anthropic',
    400,
    error('Your credit balance is too low to access the Anthropic API.', { type: 'invalid_request_error' }),
    'no_credit',
  ],
  [
    'Google',
    400,
    error('API key not valid. Please pass a valid API key.', {
      status: 'INVALID_ARGUMENT',
      details: [{ reason: 'API_KEY_INVALID' }],
    }),
    'key_refused',
  ],
  ['Google', 404, error('models/x is not found for API version v1beta', { status: 'NOT_FOUND' }), 'no_model'],
  ['Google', 503, error('The model is overloaded. Please try again later.', { status: 'UNAVAILABLE' }), 'overloaded'],
  [
    'Google',
    400,
    error('The input token count (5000) exceeds the maximum number of tokens allowed (4096).'),
    'too_long',
  ],
  [
    'LiteLLM',
    500,
    error('litellm.InternalServerError: InternalServerError: OpenAIException - Connection error.'),
    'unreachable',
  ],
  [
    'LiteLLM',
    401,
    error('litellm.AuthenticationError: AuthenticationError: OpenAIException - Incorrect'),
    'key_refused',
  ],
  [
    'LiteLLM',
    400,
    error('{"error": "/chat/completions: Invalid model name passed in model=x. Call `/v1/models`"}'),
    'no_model',
  ],
  ['LiteLLM', 429, error('No deployments available for selected model, Try again in 5 seconds.'), 'overloaded'],
  ['LiteLLM', 400, error('litellm.ContextWindowExceededError: litellm.BadRequestError'), 'too_long'],
  ['LiteLLM', 400, error('litellm.ContentPolicyViolationError'), 'refused'],
  ['OpenRouter', 404, error('No endpoints found that support image input', { code: 404 }), 'no_images'],
  ['OpenRouter', 402, error('Insufficient credits'), 'no_credit'],
  ['OpenRouter', 403, error('Your chosen model requires moderation and your input was flagged'), 'refused'],
  ['OpenRouter', 400, error('x/y is not a valid model ID', { code: 400 }), 'no_model'],
  ['a gateway', 502, '<html>Bad Gateway</html>', 'unreachable'],
  ['any', 500, error('out of memory'), 'broken'],
];

describe('the kind of a failure', () => {
  it.each(TOLD)('%s, %d %s', (_service, status, body, kind) => {
    expect(kindOf({ status, body }).kind).toBe(kind);
  });

  it('is not read from a question that a service repeats', () => {
    const body = JSON.stringify({ error: { message: 'bad request' }, input: 'image input is not supported' });
    expect(kindOf({ status: 400, body })).toEqual({ kind: 'unsupported', isNamed: false });
  });

  it.each([
    ['Try again in 5 seconds. Passed model=x', 5000],
    ['retry after 1.5 s', 1500],
    ['later', null],
  ])('tells the delay in words: %s', (words, ms) => expect(delayInWords(words)).toBe(ms));

  it('has a next step and a remedy for every reason, and a source for every sign', () => {
    const reasons = Object.keys(AI_REASONS).sort();
    expect(Object.keys(CONSEQUENCES).sort()).toEqual(reasons);
    expect(Object.keys(REMEDIES).sort()).toEqual(reasons);
    for (const { source, by } of SIGNS) expect(source, by).toMatch(/^https:/);
  });
});

const FOLDER = 'test/fixtures/model-servers';

describe('exchanges with real servers', () => {
  const exchanges = readdirSync(FOLDER).flatMap((name) => {
    const { server, exchanges: all } = JSON.parse(readFileSync(`${FOLDER}/${name}`, 'utf8')) as {
      server: string;
      exchanges: { when: string; status: number; body: string; kind: FailureKind }[];
    };
    return all.map(({ when, status, body, kind }) => [server, when, status, body, kind] as const);
  });
  it.each(exchanges)('%s, %s: %d', (_server, _when, status, body, kind) => {
    expect(kindOf({ status, body }).kind).toBe(kind);
  });
});
