import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { callWithToken, createTokenOf } from '../http/token-calls.ts';
import { metric } from '../support/aftermath.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { startTestService, type TestAccount, type TestService } from '../support/service.ts';
import { noiseImage } from '../support/small-images.ts';

/** Streams of an account whose plan says nothing of them. */
const MOST = 64;
const PER_TOKEN = 16;

let test: TestService;
let attacker: TestAccount;
let path: string;
let sessionId: string;
let release = () => {};
const released = new Promise<void>((resolve) => {
  release = resolve;
});
const open = new Set<AbortController>();
/** A response that nothing refers to is closed. */
const held: Response[] = [];

beforeAll(async () => {
  const PLANS = JSON.stringify({ free: { keys: 1 }, small: { keys: 1, streams: 3 } });
  test = await startTestService({ WORKERS: '1', PLANS });
  attacker = await test.createAccount();
  const uploaded = await attacker.api.upload([await noiseImage('noise.png')]);
  sessionId = uploaded.sessionId;
  // Jobs run for as long as their streams are needed.
  const { processor } = test.service;
  const { render } = processor;
  processor.render = async (...order) => {
    await released;
    return render(...order);
  };
  const started = await exportImage(attacker, sessionId, uploaded.images[0]?.id ?? '');
  path = `/v1/jobs/${started.headers.get('X-Job-Id')}/events`;
  await closeStreams();
});
afterEach(closeStreams);
afterAll(async () => {
  release();
  await test.close();
});

async function closeStreams(): Promise<void> {
  for (const stream of open) stream.abort();
  open.clear();
  held.length = 0;
  await vi.waitFor(async () => expect(await metric(test.url, 'imagewright_open_streams')).toBe(0), {
    timeout: PATIENCE_MS,
  });
}

function signal(): AbortSignal {
  const stream = new AbortController();
  open.add(stream);
  return stream.signal;
}

async function hold(asked: Promise<Response>): Promise<Response> {
  const response = await asked;
  held.push(response);
  return response;
}

const exportImage = ({ api }: TestAccount, session: string, id: string) =>
  hold(api.request(`/v1/sessions/${session}/export`, { json: { images: [{ id }], settings: {} }, signal: signal() }));
const follow = ({ api }: TestAccount) => hold(api.request(path, { signal: signal() }));
const refusedOf = (responses: Response[]) => responses.filter(({ status }) => status === 429);

it('one account holds 64 streams at once, and others keep their place', async () => {
  const responses = await Promise.all(Array.from({ length: 100 }, () => follow(attacker)));
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(MOST);
  const refused = refusedOf(responses);
  expect(refused).toHaveLength(100 - MOST);
  expect(refused[0]?.headers.get('Retry-After')).toBe('5');
  expect(await refused[0]?.json()).toMatchObject({ code: 'rate_limited', limit: MOST });
  expect(await metric(test.url, 'imagewright_streams_refused_total')).toBe(100 - MOST);

  const other = await test.createAccount();
  const uploaded = await other.api.upload([await noiseImage('other.png')]);
  expect((await exportImage(other, uploaded.sessionId, uploaded.images[0]?.id ?? '')).status).toBe(200);

  // Refused before it is charged.
  const before = await attacker.api.balance();
  const more = await attacker.api.upload([await noiseImage('more.png')]);
  for (const kind of ['export', 'sample', 'analyze'])
    expect(
      (await attacker.api.request(`/v1/sessions/${more.sessionId}/${kind}`, { json: bodyOf(kind, more) })).status,
    ).toBe(429);
  expect(await attacker.api.balance()).toBe(before);
});

function bodyOf(kind: string, { images }: { images: { id: string }[] }) {
  return { images: images.map(({ id }) => ({ id })), ...(kind === 'analyze' ? {} : { settings: {} }) };
}

it('a stream that is closed makes room for another', async () => {
  for (let round = 0; round < 3; round += 1) {
    await Promise.all(Array.from({ length: MOST }, () => follow(attacker)));
    await closeStreams();
  }
  expect((await follow(attacker)).status).toBe(200);
});

it('a session token leaves most streams of its account to others', async () => {
  const { token } = await createTokenOf(attacker, { sessionId });
  const calls = Array.from({ length: 30 }, () => hold(callWithToken(attacker.api, token, path, { signal: signal() })));
  expect(refusedOf(await Promise.all(calls))).toHaveLength(30 - PER_TOKEN);
  expect((await follow(attacker)).status).toBe(200);
});

it('a plan may allow another number', async () => {
  const account = await test.createAccount({ plan: 'small' });
  const { sessionId: session, images } = await account.api.upload([await noiseImage('small.png')]);
  const [{ id } = { id: '' }] = images;
  const responses: Response[] = [];
  for (let index = 0; index < 5; index += 1) responses.push(await exportImage(account, session, id));
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 429, 429]);
});
