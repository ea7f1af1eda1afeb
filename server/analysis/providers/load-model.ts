import type { LanguageModel } from 'ai';
import type { ProviderSettings } from '../config.ts';
import { boundedFetch } from './bounded-fetch.ts';

/** Loads the package of the configured provider, and no other, and makes its model. */
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
      // The older of its two interfaces: it keeps nothing of what is sent.
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
