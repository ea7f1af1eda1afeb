import type { FinishReason, LanguageModel, ModelMessage } from 'ai';
import type { ProviderSettings } from '../config.ts';
import { delayInWords, kindOf } from '../failure-kinds.ts';
import { VisionFailure, type VisionProvider, type VisionQuestion, type VisionReply } from '../vision-provider.ts';
import { codeOf, isAway } from './connection-codes.ts';
import { loadModel } from './load-model.ts';
import { probeService } from './probe-service.ts';

const TEMPERATURE = 0.2;

/** Creates a provider over the AI SDK, which is loaded with the first question (100 ms, 60 MB). */
export function createSdkProvider(settings: ProviderSettings): VisionProvider {
  let loading: Promise<{ sdk: typeof import('ai'); model: LanguageModel }> | undefined;

  async function load() {
    // Its warnings would bypass the logger.
    Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
    const [sdk, model] = await Promise.all([import('ai'), loadModel(settings)]);
    return { sdk, model };
  }

  return {
    async ask(question, signal) {
      loading ??= load().catch((error: unknown) => {
        // A kept rejection would fail every later question.
        loading = undefined;
        throw error;
      });
      const { sdk, model } = await loading;
      signal.throwIfAborted();
      try {
        const { text, finishReason } = await sdk.generateText({
          model,
          system: question.system,
          messages: messagesOf(question),
          temperature: TEMPERATURE,
          maxOutputTokens: question.maxTokens,
          // The caller retries: it knows the remaining time.
          maxRetries: 0,
          abortSignal: signal,
          ...outputOf(sdk, question.shape),
        });
        return replyOf(text, finishReason);
      } catch (error) {
        signal.throwIfAborted();
        if (sdk.NoObjectGeneratedError.isInstance(error)) {
          return replyOf(error.text ?? '', error.finishReason);
        }
        throw toFailure(sdk, error);
      }
    },
    probe: (how, signal) => probeService(settings, how, signal),
  };
}

function replyOf(text: string, finishReason: FinishReason | undefined): VisionReply {
  return { text, filtered: finishReason === 'content-filter', truncated: finishReason === 'length' };
}

function outputOf(sdk: typeof import('ai'), shape: VisionQuestion['shape']) {
  if (shape?.mode === 'json_schema') {
    return { output: sdk.Output.object({ schema: sdk.jsonSchema(shape.schema), name: shape.name }) };
  }
  return shape?.mode === 'json_object' ? { output: sdk.Output.json() } : {};
}

/** Builds the messages, image first, as providers recommend. */
function messagesOf({ image, prompt, repair }: VisionQuestion): ModelMessage[] {
  const request: ModelMessage = {
    role: 'user',
    content: [
      { type: 'image', image: image.data, mediaType: image.mediaType },
      { type: 'text', text: prompt },
    ],
  };
  if (!repair) return [request];
  return [
    request,
    { role: 'assistant', content: repair.answer || '(no answer)' },
    { role: 'user', content: repair.fault },
  ];
}

/** Body of a success that is an error, as OpenRouter and LM Studio answer. */
const ERROR_IN_BODY = /"error"\s*:\s*[{"]/;

function toFailure(sdk: typeof import('ai'), error: unknown): VisionFailure {
  if (!sdk.APICallError.isInstance(error)) return new VisionFailure('broken', null, { cause: codeOf(error) });
  const { statusCode: status, responseHeaders: headers = {}, responseBody: body = '' } = error;
  const cause = codeOf(error);
  // No whole response: refused, reset, no such host.
  if (status === undefined || (status === 200 && cause !== null)) {
    const away = isAway(cause);
    return new VisionFailure(away ? 'unreachable' : 'broken', null, { cause, probe: away ? 'connect' : null });
  }
  if (status < 400 && !ERROR_IN_BODY.test(body)) return new VisionFailure('broken', status);
  const { kind, isNamed } = kindOf({ status, body });
  const retry = retryAfterMs(headers, Date.now()) ?? delayInWords(body);
  const tellsHealth = kind === 'loading' && (headers.server ?? '').startsWith('llama.cpp');
  return new VisionFailure(kind, status, { retryAfterMs: retry, isNamed, probe: tellsHealth ? 'health' : null });
}

/**
 * Reads the delay requested by a response, in milliseconds: `Retry-After` in seconds or as a date (RFC 9110, 10.2.3), or
 * OpenAI's `retry-after-ms`.
 * @param headers names in lower case
 * @param now milliseconds since 1970
 */
export function retryAfterMs(headers: Record<string, string>, now: number): number | null {
  const exact = Number(headers['retry-after-ms'] ?? Number.NaN);
  if (Number.isFinite(exact) && exact >= 0) return exact;
  const value = headers['retry-after'];
  if (value === undefined) return null;
  if (/^\d+(\.\d+)?$/.test(value.trim())) return Number(value) * 1000;
  const date = /^[A-Z][a-z]{2},/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}
