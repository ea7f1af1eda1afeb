import { describe, expect, it } from 'vitest';
import { analysisConfig, providerSettings } from '../../server/analysis/config.ts';
import { loadConfig } from '../../server/config/index.ts';

const settingsOf = (env: Record<string, string>) => providerSettings(analysisConfig.parse(env));
const LOCAL = { AI_PROVIDER: 'openai-compatible', AI_MODEL: 'm' };

describe('the provider’s settings', () => {
  it('are none by default, whatever the variables of other programs', () => {
    expect(settingsOf({ OPENAI_API_KEY: 'sk-x y', OPENAI_BASE_URL: 'nonsense', AI_MODEL: 'm' })).toBeNull();
  });

  it('fall back to the variables of OpenAI-like programs', () => {
    const env = { ...LOCAL, OPENAI_BASE_URL: 'http://a/v1', OPENAI_API_KEY: 'k' };
    expect(settingsOf(env)).toMatchObject({ baseUrl: 'http://a/v1', apiKey: 'k' });
    expect(settingsOf({ ...env, AI_BASE_URL: 'http://b/v1', AI_API_KEY: 'l' })).toMatchObject({
      baseUrl: 'http://b/v1',
      apiKey: 'l',
    });
    expect(settingsOf({ ...env, AI_PROVIDER: 'anthropic', AI_API_KEY: 'l' })).toMatchObject({
      baseUrl: undefined,
      apiKey: 'l',
    });
  });

  it.each([
    ['https://other.example/v1', undefined, undefined],
    ['https://other.example/v1', 'nonsense', undefined],
    ['http://api.openai.com/v1', undefined, undefined],
    ['https://api.openai.com.other.example/v1', undefined, undefined],
    ['https://api.openai.com/v1', undefined, 'sk-other'],
    ['https://gateway.example/v1', 'https://gateway.example/openai', 'sk-other'],
    ['https://gateway.example:8443/v1', 'https://gateway.example/openai', undefined],
  ])('at %s, with the programs’ %s, do not carry their key elsewhere', (baseUrl, programs, expected) => {
    const env = { ...LOCAL, AI_BASE_URL: baseUrl, OPENAI_API_KEY: 'sk-other' };
    expect(settingsOf({ ...env, ...(programs ? { OPENAI_BASE_URL: programs } : {}) })?.apiKey).toBe(expected);
    expect(settingsOf({ ...env, AI_API_KEY: 'own' })?.apiKey).toBe('own');
  });

  it.each([
    ['http://127.0.0.1:11434/v1', true],
    ['http://localhost:1234/v1', true],
    ['http://ollama:11434/v1', true],
    ['http://host.docker.internal:8000/v1', true],
    ['http://192.168.1.5/v1', true],
    ['http://[::1]:8000/v1', true],
    ['http://[fd12:3456:789a::1]:8000/v1', true],
    ['http://[fe80::1]/v1', true],
    ['https://openrouter.ai/api/v1', false],
    ['https://fd-ai.example.com/v1', false],
    ['https://10.example.com/v1', false],
    ['https://[2606:4700::6810:1]/v1', false],
    ['https://172.15.0.1/v1', false],
  ])('%s is local: %s', (baseUrl, local) => {
    expect(settingsOf({ ...LOCAL, AI_BASE_URL: baseUrl })?.local).toBe(local);
  });

  it.each([
    [
      { AI_PROVIDER: 'openai-compatible', AI_MODEL: 'm' },
      /AI_BASE_URL: expected the URL of the vision service, because AI_PROVIDER is openai-compatible/,
    ],
    [{ AI_PROVIDER: 'openai-compatible', AI_BASE_URL: 'http://a' }, /AI_MODEL: expected a model's name/],
    [
      { AI_PROVIDER: 'anthropic', AI_MODEL: 'm', OPENAI_API_KEY: 'k' },
      /AI_API_KEY: expected a key, because AI_PROVIDER is anthropic/,
    ],
    [
      { AI_PROVIDER: 'openai', AI_MODEL: 'm', OPENAI_API_KEY: 'two words' },
      /OPENAI_API_KEY: expected a key of printable characters/,
    ],
    [
      { AI_PROVIDER: 'openai', AI_MODEL: 'm', AI_BASE_URL: 'https://other.example/v1', OPENAI_API_KEY: 'k' },
      /AI_API_KEY: expected a key, because AI_PROVIDER is openai/,
    ],
    [{ AI_PROVIDER: 'gpt' }, /AI_PROVIDER: expected one of none, openai-compatible/],
  ])('refuse to start half-configured: %j', (env, message) => {
    expect(() => loadConfig(env)).toThrow(message);
    expect(() => loadConfig(env)).not.toThrow(/two words/);
  });
});
