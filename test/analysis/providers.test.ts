import { createServer, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ANSWER_SCHEMA } from '../../server/analysis/answer.ts';
import type { ProviderSettings } from '../../server/analysis/config.ts';
import { createSdkProvider, retryAfterMs } from '../../server/analysis/providers/sdk-provider.ts';
import { serveLocally } from '../support/serve-locally.ts';
import { jpeg } from './analysis-harness.ts';

const ANSWER = '{"alt":"Two boats"}';
const seen: { request: IncomingMessage; body: string }[] = [];
/** Responses in each provider's format. */
const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  seen.push({ request, body: Buffer.concat(chunks).toString() });
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(answerTo(request.url ?? '')));
});

function answerTo(path: string): unknown {
  if (path.endsWith('/messages')) {
    const usage = { input_tokens: 1, output_tokens: 1 };
    return {
      type: 'message',
      id: 'x',
      model: 'm',
      role: 'assistant',
      content: [{ type: 'text', text: ANSWER }],
      stop_reason: 'end_turn',
      usage,
    };
  }
  if (path.includes(':generateContent')) {
    return { candidates: [{ content: { role: 'model', parts: [{ text: ANSWER }] }, finishReason: 'STOP' }] };
  }
  const message = { role: 'assistant', content: ANSWER };
  return { id: 'x', created: 1, model: 'm', choices: [{ index: 0, message, finish_reason: 'stop' }], usage: {} };
}

let baseUrl: string;
beforeAll(async () => {
  baseUrl = `${(await serveLocally(server)).url}/v1`;
});
afterAll(() => server.close());

describe('each provider', () => {
  it.each<[ProviderSettings['kind'], string, string]>([
    ['openai-compatible', '/v1/chat/completions', 'authorization'],
    ['openai', '/v1/chat/completions', 'authorization'],
    ['anthropic', '/v1/messages', 'x-api-key'],
    ['google', '/v1/models/m:generateContent', 'x-goog-api-key'],
  ])('%s is requested at %s, with the key only in %s', async (kind, path, header) => {
    seen.splice(0);
    const provider = createSdkProvider({ kind, model: 'm', baseUrl, apiKey: 'sk-test', local: true });
    const data = await jpeg();
    const reply = await provider.ask(
      { system: 'You look.', prompt: 'What is it?', image: { data, mediaType: 'image/jpeg' }, maxTokens: 100 },
      new AbortController().signal,
    );
    expect(reply).toEqual({ text: ANSWER, filtered: false, truncated: false });
    expect(seen).toHaveLength(1);
    const { request, body } = seen[0] ?? { request: undefined, body: '' };
    expect(request?.url).toBe(path);
    expect(request?.headers[header]).toContain('sk-test');
    expect(body).toContain(data.toString('base64'));
    expect(body).toContain('You look.');
    expect(body + request?.url).not.toContain('sk-test');
  });

  it.each<[ProviderSettings['kind'], string]>([
    ['openai', 'strict'],
    ['anthropic', 'textInImage'],
    ['google', 'textInImage'],
  ])('%s receives the schema', async (kind, word) => {
    seen.splice(0);
    const provider = createSdkProvider({ kind, model: 'm', baseUrl, apiKey: 'sk-test', local: true });
    const shape = { mode: 'json_schema' as const, name: 'image_metadata', schema: ANSWER_SCHEMA };
    const image = { data: await jpeg(), mediaType: 'image/jpeg' as const };
    await provider.ask({ system: 's', prompt: 'p', image, shape, maxTokens: 100 }, new AbortController().signal);
    expect(seen[0]?.body).toContain(word);
  });
});

describe('retryAfterMs', () => {
  const now = Date.parse('2031-05-05T12:00:00Z');
  it.each<[Record<string, string>, number | null]>([
    [{}, null],
    [{ 'retry-after': '7' }, 7000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after': 'Mon, 05 May 2031 12:00:09 GMT' }, 9000],
    [{ 'retry-after': 'Mon, 05 May 2031 11:00:00 GMT' }, 0],
    [{ 'retry-after': 'soon' }, null],
    [{ 'retry-after': '-5' }, null],
    [{ 'retry-after-ms': '250', 'retry-after': '7' }, 250],
  ])('%j: %s', (headers, expected) => {
    expect(retryAfterMs(headers, now)).toBe(expected);
  });
});
