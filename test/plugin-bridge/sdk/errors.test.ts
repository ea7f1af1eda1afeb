import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ApiError, ConnectionError, createClient } from '../../../plugin-bridge/sdk/index.ts';
import { plainImages } from '../../support/small-images.ts';
import { chargesOf, type SdkHarness, startSdkHarness, uploadPictures } from './sdk-harness.ts';

let harness: SdkHarness;
beforeAll(async () => {
  harness = await startSdkHarness();
});
afterAll(() => harness.close());
afterEach(() => harness.proxy.reset());

const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.fail('it succeeded'),
    (error: unknown) => error as ApiError & ConnectionError,
  );

describe('an error response of the service', () => {
  it('is an ApiError with code, status, request id and details', async () => {
    const client = await harness.createClient({ credits: 1 });
    const { sessionId, images } = await uploadPictures(client, 3);
    const error = await failureOf(client.exportImages(sessionId, { images, settings: {} }).result());
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      status: 402,
      code: 'insufficient_credits',
      message: 'Insufficient credits: balance is 1, 3 needed',
      details: { balance: 1, required: 3, shortfall: 2 },
      retryable: false,
      requestId: expect.stringMatching(/^req_/),
    });
    expect(await chargesOf(client)).toEqual([-24]);
    expect(harness.proxy.seen.filter(({ path }) => path.endsWith('/export'))).toHaveLength(1);
  });

  it('is the same for a wrong key, a missing session and a bad request', async () => {
    const client = await harness.createClient();
    const stranger = createClient({ endpoint: harness.proxy.url, apiKey: 'iw_nonsense' });
    expect(await failureOf(stranger.getBalance())).toMatchObject({ status: 401, code: 'invalid_api_key' });
    const unknown = `sess_${'x'.repeat(22)}`;
    expect(await failureOf(client.getSession(unknown))).toMatchObject({ status: 404, code: 'session_not_found' });
    const bad = await failureOf(client.checkCredits({ imageCount: -1 }));
    expect(bad).toMatchObject({ status: 400, code: 'invalid_request', details: { errors: expect.any(Object) } });
  });

  it('is the error of the first file if all files of an upload are rejected', async () => {
    const client = await harness.createClient();
    const files = [{ name: 'notes.txt', file: new Blob(['no image']) }];
    expect(await failureOf(client.createSession({ files }))).toMatchObject({ status: 415, code: 'unsupported_image' });
  });
});

const FINAL = [400, 401, 402, 403, 413, 424, 500];
describe.each(FINAL)('a %d on the way', (status) => {
  it.each([
    [
      'of a proxy that speaks the form of the service',
      { json: { error: 'No', code: 'some_code', extra: 1 } },
      'some_code',
    ],
    ['of a CMS', { json: { code: 'rest_forbidden', message: 'No', data: { status } } }, 'rest_forbidden'],
    ['as a page', { html: '<html><body>Error</body></html>' }, 'bad_response'],
    ['without a body', { html: '' }, 'bad_response'],
  ])('%s ends an upload and an export at once, and nothing is charged', async (_, answer, code) => {
    const client = await harness.createClient();
    const { sessionId, images } = await uploadPictures(client, 1);
    harness.proxy.reset();
    harness.proxy.inject({ kind: 'answer', status, ...answer }, { method: 'POST', times: 2 });
    const stream = client.exportImages(sessionId, { images, settings: {} });
    expect(stream.idempotencyKey).toMatch(/^[0-9a-f]{32}$/);
    for (const attempt of [
      stream.result(),
      client.addImages(sessionId, { files: [{ name: 'a', file: new Blob() }] }),
    ]) {
      const error = await failureOf(attempt);
      expect(error).toBeInstanceOf(ApiError);
      expect(error).toMatchObject({ status, code });
    }
    expect(harness.proxy.seen).toHaveLength(2);
    expect(await chargesOf(client)).toEqual([]);
  });
});

describe('a temporary refusal', () => {
  it.each([429, 503])('%d is retried after the requested wait, three tries in all', async (status) => {
    const client = await harness.createClient();
    const json = { error: 'Later', code: 'overloaded' };
    harness.proxy.inject({ kind: 'answer', status, json, headers: { 'Retry-After': '1' } });
    const startedAt = performance.now();
    await client.getBalance();
    expect(performance.now() - startedAt).toBeGreaterThan(990);
    harness.proxy.reset();
    harness.proxy.inject({ kind: 'answer', status, json }, { times: 10 });
    expect(await failureOf(client.getBalance())).toMatchObject({ status, retryable: true });
    expect(harness.proxy.seen).toHaveLength(3);
  });

  it('is an error at once if it asks for more than a minute', async () => {
    const client = await harness.createClient();
    const json = { error: 'Tomorrow', code: 'rate_limited' };
    harness.proxy.inject({ kind: 'answer', status: 429, json, headers: { 'Retry-After': '3600' } }, { times: 10 });
    expect(await failureOf(client.getBalance())).toMatchObject({ retryable: true, retryAfterMs: 3_600_000 });
    expect(harness.proxy.seen).toHaveLength(1);
  });
});

describe.each([502, 504])('a %d of a gateway or of the proxy of a CMS', (status) => {
  it.each([
    ['in the form of the service', { json: { error: 'Away', code: 'bad_gateway' } }],
    ['of WordPress', { json: { code: 'imagewright_unreachable', message: 'Away', data: { status } } }],
    ['as a page', { html: '<html><body>Bad Gateway</body></html>' }],
    ['without a body', { html: '' }],
  ])('%s: reads are repeated, three tries in all, and what may have been done is not', async (_, answer) => {
    const client = await harness.createClient();
    harness.proxy.inject({ kind: 'answer', status, ...answer }, { times: 2 });
    expect(await client.getBalance()).toMatchObject({ plan: 'free' });
    expect(harness.proxy.seen).toHaveLength(3);
    harness.proxy.reset();
    harness.proxy.inject({ kind: 'answer', status, ...answer }, { times: 10 });
    expect(await failureOf(client.getBalance())).toMatchObject({ status, retryable: true });
    expect(await failureOf(client.cancelJob(`job_${'x'.repeat(22)}`))).toMatchObject({ status });
    expect(harness.proxy.seen).toHaveLength(4);
  });
});

describe('a missing response', () => {
  it('is a ConnectionError after three tries', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const client = createClient({ endpoint: `http://127.0.0.1:${port}`, retryDelayMs: 1 });
    const error = await failureOf(client.getBalance());
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ code: 'network', retryable: true, cause: expect.any(TypeError) });
  });

  it('is a timeout, and the request is repeated', async () => {
    const client = await harness.createClient({ timeoutMs: 300 });
    harness.proxy.inject({ kind: 'hang' }, { times: 1000 });
    expect(await failureOf(client.getBalance())).toMatchObject({ code: 'timeout', retryable: true });
    expect(harness.proxy.seen.length).toBeGreaterThan(1);
  });

  it('is not awaited after an abort', async () => {
    const client = await harness.createClient();
    harness.proxy.inject({ kind: 'hang' }, { times: 3 });
    const controller = new AbortController();
    const waiting = failureOf(client.getBalance({ signal: controller.signal }));
    await expect.poll(() => harness.proxy.seen.length).toBe(1);
    controller.abort('enough');
    expect(await waiting).toMatchObject({ code: 'aborted', retryable: false, cause: 'enough' });
    expect(await failureOf(client.getBalance({ signal: AbortSignal.abort() }))).toMatchObject({ code: 'aborted' });
    expect(harness.proxy.seen).toHaveLength(1);
  });

  it('is repeated if the body is incomplete; a page instead of JSON is an ApiError', async () => {
    const client = await harness.createClient();
    harness.proxy.inject({ kind: 'cut', afterBytes: 5 }, { times: 2 });
    expect(await client.getBalance()).toMatchObject({ plan: 'free' });
    expect(harness.proxy.seen).toHaveLength(3);
    harness.proxy.inject({ kind: 'answer', status: 200 });
    expect(await failureOf(client.getBalance())).toMatchObject({ code: 'bad_response', status: 200 });
  });

  it('does not repeat a deletion or cancellation', async () => {
    const client = await harness.createClient();
    harness.proxy.inject({ kind: 'lose-answer' }, { times: 10 });
    const id = 'x'.repeat(22);
    expect(await failureOf(client.deleteSession(`sess_${id}`))).toMatchObject({ code: 'network' });
    expect(await failureOf(client.cancelJob(`job_${id}`))).toMatchObject({ code: 'network' });
    expect(harness.proxy.seen).toHaveLength(2);
  });
});

describe('a mistake of the caller', () => {
  it('of no endpoint is named', () => {
    const create = createClient as (options?: unknown) => unknown;
    expect(() => create()).toThrow(/^createClient: expected \{ endpoint: .*but received the endpoint undefined$/);
    expect(() => create({})).toThrow(TypeError);
  });

  it('of an endpoint with the version is none', async () => {
    const { apiKey } = await harness.test.createAccount({});
    for (const end of ['/v1', '/v1/', '/']) {
      const client = createClient({ endpoint: `${harness.proxy.url}${end}`, apiKey });
      expect(await client.getBalance()).toMatchObject({ balance: expect.any(Number) });
    }
  });

  it('of bytes instead of a Blob is none', async () => {
    const client = await harness.createClient();
    const [picture] = await plainImages(1, { width: 33 });
    const bytes = Buffer.from(picture?.bytes ?? []);
    const files = [bytes, new Uint8Array(bytes)].map((file, at) => ({ file, name: `bytes-${at}.png` }));
    const { images } = await client.createSession({ files });
    expect(images.map(({ size }) => size)).toEqual([bytes.length, bytes.length]);
  });
});

it('an error of the network tells its innermost reason', async () => {
  const client = createClient({ endpoint: 'http://no-such-host.invalid', apiKey: 'iw_x', retryDelayMs: 1 });
  await expect(client.getBalance()).rejects.toThrow(/ENOTFOUND|EAI_AGAIN/);
});

it('an error that nothing catches prints a short line of the built client', async () => {
  const sdk = pathToFileURL('dist/sdk/index.js').href;
  const program = `import { createClient } from '${sdk}'; await createClient({ endpoint: '${harness.test.url}' }).getBalance();`;
  const { stderr } = await new Promise<{ stderr: string }>((resolve) => {
    execFile(process.execPath, ['--input-type=module', '-e', program], (_error, _stdout, stderr) =>
      resolve({ stderr }),
    );
  });
  expect(stderr).toContain('invalid_api_key');
  expect(Math.max(...stderr.split('\n').map((line) => line.length))).toBeLessThan(300);
});
