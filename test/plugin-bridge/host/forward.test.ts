import { createServer } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { imagewright } from '../../../plugin-bridge/host/server/index.ts';
import { createClient } from '../../../plugin-bridge/sdk/index.ts';
import { formOf } from '../../support/api-client.ts';
import { type FaultProxy, startFaultProxy } from '../../support/fault-proxy.ts';
import { serveLocally } from '../../support/serve-locally.ts';
import type { TestAccount } from '../../support/service.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';
import { plainImages } from '../../support/small-images.ts';
import { uploadPictures } from '../sdk/sdk-harness.ts';

const JOB = `job_${'0'.repeat(22)}`;
const SESSION = `sess_${'0'.repeat(22)}`;
/** The request of a job, and not of its events. */
const LOOK_UP = /^\/v1\/jobs\/job_\w+$/;
const JOB_CALLS = [
  ['GET', `/v1/jobs/${JOB}`],
  ['GET', `/v1/jobs/${JOB}/events`],
  ['POST', `/v1/jobs/${JOB}/cancel`],
] as const;

type Options = Parameters<typeof imagewright>[0];

let service: SharedService;
let account: TestAccount;
let faults: FaultProxy;
beforeAll(async () => {
  service = await sharedService();
  account = await service.createAccount({ credits: 50 });
  faults = await startFaultProxy(service.url);
});
afterAll(() => faults?.close());
beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => {}));
afterEach(() => {
  vi.restoreAllMocks();
  faults.reset();
});

/** Starts a CMS on plain `http`, which catches nothing: a rejection would end its process. */
async function startCms(options: Partial<Options> = {}): Promise<string> {
  const handler = imagewright({
    ...{ service: faults.url, apiKey: account.apiKey },
    userOf: ({ headers }) => (headers['x-editor'] as string | undefined) ?? 'ada',
    ...options,
  } as Options);
  const { url, close } = await serveLocally(createServer((req, res) => void handler(req, res)));
  onTestFinished(close);
  return url;
}

async function call(method: string, address: string, init: RequestInit = {}) {
  const response = await fetch(address, { ...init, method, signal: AbortSignal.timeout(5000) });
  const text = await response.text();
  return { status: response.status, after: response.headers.get('Retry-After'), text };
}

describe('a job that the service does not show', () => {
  it.each([
    [403, 'account_suspended'],
    [429, 'rate_limited'],
    [500, 'internal_error'],
    [503, 'shutting_down'],
    [507, 'insufficient_storage'],
  ])(
    '%d reaches the browser with its code and its wait, and is never a session that has ended',
    async (status, code) => {
      const cms = await startCms();
      const json = { error: 'Not now', code, limit: 3 };
      for (const [method, path] of JOB_CALLS) {
        faults.inject({ kind: 'answer', status, json, headers: { 'Retry-After': '7' } }, { path: LOOK_UP });
        const answer = await call(method, cms + path);
        expect({ ...answer, text: JSON.parse(answer.text) }).toEqual({ status, after: '7', text: json });
      }
    },
  );

  it('has the page of a gateway as its answer, whatever its status', async () => {
    const cms = await startCms();
    for (const status of [404, 502, 503, 504]) {
      faults.inject({ kind: 'answer', status, html: '<h1>Away – später</h1>' }, { path: LOOK_UP });
      const answer = await call('GET', `${cms}/v1/jobs/${JOB}/events`);
      expect(answer).toMatchObject({ status, text: '<h1>Away – später</h1>' });
    }
  });

  it('is a bad gateway if the answer is lost, in the middle too, or no answer of the service', async () => {
    const cms = await startCms();
    const losses = [
      { kind: 'lose-request' },
      { kind: 'lose-answer' },
      { kind: 'cut', afterBytes: 5 },
      { kind: 'answer', status: 200, html: '<h1>Maintenance</h1>' },
    ] as const;
    for (const loss of losses) {
      faults.inject(loss, { path: LOOK_UP });
      const { status, text } = await call('GET', `${cms}/v1/jobs/${JOB}/events`);
      expect([status, JSON.parse(text).code], loss.kind).toEqual([502, 'bad_gateway']);
    }
  });

  it('says that the key of the site is wrong with a status that nobody repeats', async () => {
    const cms = await startCms({ apiKey: 'iw_nonsense' });
    for (const path of [`/v1/jobs/${JOB}/events`, '/v1/credits/balance']) {
      const { status, text } = await call('GET', cms + path);
      expect([status, JSON.parse(text).code]).toEqual([424, 'invalid_api_key']);
    }
    expect(faults.seen).toHaveLength(2);
  });

  it('is the same for a job that is not there and one of another editor', async () => {
    const cms = await startCms();
    const client = createClient({ endpoint: cms, retryDelayMs: 10 });
    const { sessionId, images } = await uploadPictures(client, 1);
    const stream = client.exportImages(sessionId, { images, settings: {} });
    await stream.result();
    const foreign = { headers: { 'X-Editor': 'bob' } };
    const answers = [
      await call('GET', `${cms}/v1/jobs/${JOB}/events`),
      await call('GET', `${cms}/v1/jobs/${await stream.jobId()}/events`, foreign),
    ];
    for (const { status, text } of answers) {
      expect([status, JSON.parse(text)]).toEqual([404, { error: expect.any(String), code: 'job_not_found' }]);
    }
    expect(answers[0]).toEqual(answers[1]);
  });
});

describe('an export through a CMS', () => {
  it('survives a service that is away for more tries than a request has, and is charged once', async () => {
    const cms = await startCms();
    const client = createClient({ endpoint: cms, retryDelayMs: 10 });
    const { sessionId, images } = await uploadPictures(client, 3);
    const before = await account.api.balance();
    faults.inject({ kind: 'cut', afterEvents: 1 }, { path: /\/export$/ });
    const json = { error: 'Stopping', code: 'shutting_down' };
    faults.inject({ kind: 'answer', status: 503, json }, { path: LOOK_UP });
    faults.inject({ kind: 'lose-request' }, { path: LOOK_UP, times: 3 });
    faults.inject({ kind: 'answer', status: 502 }, { path: LOOK_UP });
    faults.inject({ kind: 'lose-request' }, { path: /\/events$/, times: 2 });
    const { summary, credits } = await client.exportImages(sessionId, { images, settings: {} }).result();
    expect([summary.completed, credits.charged]).toEqual([3, 3]);
    expect(faults.seen.filter(({ fault }) => fault)).toHaveLength(8);
    expect(before - (await account.api.balance())).toBe(3);
    expect(faults.seen.filter(({ path }) => path.endsWith('/export'))).toHaveLength(1);
  });

  it('is not given up for an upload whose answer was lost', async () => {
    const client = createClient({ endpoint: await startCms(), retryDelayMs: 10 });
    faults.inject({ kind: 'cut', afterBytes: 20 }, { path: /^\/v1\/sessions$/ });
    faults.inject({ kind: 'lose-answer' }, { path: /^\/v1\/sessions$/ });
    const { sessionId, images } = await uploadPictures(client, 1);
    expect((await client.getSession(sessionId)).images).toHaveLength(1);
    await client.exportImages(sessionId, { images, settings: {} }).result();
    expect(faults.seen.filter(({ path }) => path === '/v1/sessions')).toHaveLength(3);
  });
});

describe('what the CMS is asked', () => {
  const failing = () => Promise.reject(new Error('password of the database: secret'));
  const thrown = () => {
    throw new Error('password of the database: secret');
  };
  const upload = async () => ({ body: await formOf(await plainImages(1)) });
  const keyed = async () => ({
    headers: { 'Idempotency-Key': 'a', 'Content-Type': 'application/json' },
    body: '{"imageCount":1}',
  });

  it.each([
    ['userOf', 'GET', '/v1/credits/balance', undefined],
    ['owns', 'GET', `/v1/sessions/${SESSION}`, undefined],
    ['idOf', 'POST', '/v1/credits/check', keyed],
    ['remember', 'POST', '/v1/sessions', upload],
  ] as const)(
    '%s may throw or reject: the answer is an error, and the process lives',
    async (name, method, path, init) => {
      for (const how of [failing, thrown]) {
        const cms = await startCms({ [name]: how });
        const { status, text } = await call(method, cms + path, await init?.());
        expect([status, JSON.parse(text)]).toEqual([500, { error: expect.any(String), code: 'internal_error' }]);
        expect(text).not.toContain('secret');
        expect(console.error).toHaveBeenLastCalledWith(
          expect.objectContaining({ message: expect.stringContaining('secret') }),
        );
        if (name !== 'userOf') expect((await call('GET', `${cms}/v1/credits/balance`)).status).toBe(200);
      }
    },
  );

  it('may take its time for the id of a user, and equal keys of two users stay apart', async () => {
    const cms = await startCms({ idOf: async (user) => `id of ${user}` });
    for (const editor of ['ada', 'bob', 'ada']) {
      const { headers, body } = await keyed();
      await call('POST', `${cms}/v1/credits/check`, { headers: { ...headers, 'X-Editor': editor }, body });
    }
    const [first, other, again] = faults.seen.map(({ headers }) => headers['idempotency-key']);
    expect(first).toMatch(/^[0-9a-f]{64}$/);
    expect([again, other]).toEqual([first, expect.not.stringMatching(`^${first}$`)]);
  });

  it('is not asked for an address that is none', async () => {
    const cms = await startCms({ host: {} as never });
    for (const path of ['/media//', '/media/?id=%', '/v1/jobs//']) {
      const answer = await call('POST', cms + path, { body: '{}' });
      expect([path, answer.status]).toEqual([path, 404]);
    }
  });
});
