import type { LanguageModel } from 'ai';
import type { ProviderSettings } from '../config.ts';
import { boundedFetch } from './bounded-fetch.ts';

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
