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
  return new Response(response.body.pipeThrough(counter), { status, statusText, headers });
};
