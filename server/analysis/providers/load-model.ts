import type { LanguageModel } from 'ai';
import type { ProviderSettings } from '../config.ts';

/** Creates the model of the configured provider. Loads only that provider's package. */
export async function loadModel({ kind, model, baseUrl, apiKey }: ProviderSettings): Promise<LanguageModel> {
  const options = {
    fetch: boundedFetch,
    ...(baseUrl === undefined ? {} : { baseURL: baseUrl }),
    ...(apiKey === undefined ? {} : { apiKey }),
  };
  switch (kind) {
    case 'openai-compatible': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      const name = 'openai-compatible';
      return createOpenAICompatible({ name, supportsStructuredOutputs: true, baseURL: '', ...options })(model);
    }
    case 'openai': {
      const { createOpenAI } = await import('@ai-sdk/openai');
      // The Chat Completions API: unlike the Responses API it stores nothing.
      return createOpenAI(options).chat(model);
    }
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      return createAnthropic(options)(model);
    }
    case 'google': {
      const { createGoogleGenerativeAI } = await import('@ai-sdk/google');
      return createGoogleGenerativeAI(options)(model);
    }
  }
}

/** Most bytes of a response; an answer about one image is far shorter. */
const MAX_RESPONSE_BYTES = 1_000_000;

/** Fetches with limited response size. Redirects are errors, since they would carry image and key to another host. */
const boundedFetch: typeof globalThis.fetch = async (input, init) => {
  const response = await fetch(input, { ...init, redirect: 'error' });
  if (!response.body) return response;
  let received = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      received += chunk.byteLength;
      if (received > MAX_RESPONSE_BYTES) controller.error(new Error('the response is too long'));
      else controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers } = response;
  const bounded = new Response(response.body.pipeThrough(counter), { status, statusText, headers });
  if (status !== 200) return bounded;
  return new Response(markRefusal(await bounded.text()), { status, statusText, headers });
};

/** Marks an answer that is a refusal as filtered: the AI SDK drops the field that OpenAI has for it. */
function markRefusal(body: string): string {
  if (!/"refusal"\s*:\s*"/.test(body)) return body;
  try {
    const parsed = JSON.parse(body) as { choices?: { message?: { refusal?: unknown }; finish_reason?: string }[] };
    for (const choice of parsed.choices ?? []) {
      if (typeof choice.message?.refusal === 'string') choice.finish_reason = 'content_filter';
    }
    return JSON.stringify(parsed);
  } catch {
    return body;
  }
}
