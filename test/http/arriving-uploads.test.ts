import { randomBytes } from 'node:crypto';
import { readdir, stat, utimes } from 'node:fs/promises';
import { type ClientRequest, request } from 'node:http';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { startTestService, type TestService } from '../support/service.ts';
import { multipartBody, part, startUploadServer, type UploadServer, until } from './upload-server.ts';

const BOUNDARY = 'XbOuNdArY';
const HEADERS = { 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}` };
const file = (name: string, bytes: number) => part(`name="images"; filename="${name}.jpg"`, randomBytes(bytes));

let closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const close of closing) await close();
  closing = [];
});

/** Begins a request whose body is sent bit by bit. */
function begin(url: string, headers: Record<string, string> = {}): { req: ClientRequest; answer: Promise<unknown[]> } {
  const req = request(url, { method: 'POST', headers: { ...HEADERS, ...headers } });
  const answer = new Promise<unknown[]>((resolve, reject) => {
    req.on('error', reject).on('response', async (response) => {
      let text = '';
      for await (const chunk of response) text += chunk;
      resolve([response.statusCode, JSON.parse(text).code]);
    });
  });
  return { req, answer };
}

it('arriving uploads of an account take no more of the disk than its plan may store', async () => {
  const plans = { free: { keys: 1, storageMb: 1 }, open: { keys: 1 } };
  const test: TestService = await startTestService({ PLANS: JSON.stringify(plans) });
  closing.push(() => test.close());
  const incoming = join(test.dataDir, 'files', 'incoming');
  const { apiKey } = await test.createAccount();
  const other = await test.createAccount();
  const free = await test.createAccount({ plan: 'open' });
  const body = multipartBody(BOUNDARY, [file('a', 700_000)]);
  const start = (key: string) => begin(`${test.url}/v1/sessions`, { 'X-API-Key': key });
  const sent = async (bytes: number) => {
    const names = await readdir(incoming).catch(() => []);
    const sizes = await Promise.all(names.map((name) => stat(join(incoming, name)).then(({ size }) => size)));
    return sizes.reduce((sum, size) => sum + size, 0) >= bytes;
  };
  const first = start(apiKey);
  first.req.write(body.subarray(0, -10));
  await until(() => sent(512_000));
  const second = start(apiKey);
  second.req.end(body);
  expect(await second.answer).toEqual([507, 'storage_limit_reached']);
  // Neither another account nor a plan without this limit is affected.
  for (const { apiKey: key } of [other, free]) {
    const { req, answer } = start(key);
    req.end(body);
    expect(await answer).toEqual([415, 'unsupported_image']);
  }
  first.req.end(body.subarray(-10));
  expect(await first.answer).toEqual([415, 'unsupported_image']);
  // What has ended no longer counts.
  const third = start(apiKey);
  third.req.end(body);
  expect(await third.answer).toEqual([415, 'unsupported_image']);
  expect(await readdir(incoming)).toEqual([]);
});

it('complete files of an upload that takes hours are not taken for remainders', async () => {
  const server: UploadServer = await startUploadServer();
  closing.push(() => server.close());
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const whole = multipartBody(BOUNDARY, [file('a', 100_000), file('b', 2_000_000)]);
  const { req, answer } = begin(`http://127.0.0.1:${server.port}/`);
  req.write(whole.subarray(0, 1_000_000));
  await until(async () => (await server.filesLeft()).length === 2);
  const path = join(server.directory, '1.part');
  const long = new Date(0);
  await utimes(path, long, long);
  vi.advanceTimersByTime(600_000);
  await until(async () => (await stat(path)).mtimeMs > Date.now() - 60_000);
  req.end(whole.subarray(1_000_000));
  expect(await answer).toEqual([201, undefined]);
  expect(vi.getTimerCount()).toBe(0);
});
