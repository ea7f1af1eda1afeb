import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AnalysisReport, AnalysisResult, Image, Job, Metadata, Session, UploadResult } from '#contract';
import { type ApiClient, readEvents } from '../support/api-client.ts';
import { type FakeVisionServer, GOOD_ANSWER, startFakeVisionServer } from '../support/fake-vision-server.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { plainImage, plainImages } from '../support/small-images.ts';

/** On a machine with other work. */
const PATIENT = { timeout: 15_000 };

interface AnalysisEvent {
  id: string;
  event: string;
  data: {
    imageId: string;
    step: string;
    current: number;
    metadata?: Metadata;
    status: string;
    results: AnalysisResult[];
    provider: string;
    summary: { total: number; completed: number; failed: number };
    code?: string;
  };
}

let vision: FakeVisionServer;
let test: TestService;
let api: ApiClient;

beforeAll(async () => {
  vision = await startFakeVisionServer();
  test = await startTestService({
    AI_PROVIDER: 'openai-compatible',
    AI_BASE_URL: vision.url,
    AI_MODEL: 'fake-model',
    AI_CANARY: 'off',
    AI_TIMEOUT_MS: '5000',
    AI_CONCURRENCY: '2',
    AI_MAX_RETRIES: '0',
  });
});
afterAll(async () => {
  await test?.close();
  await vision?.close();
});
beforeEach(async () => {
  vision.mode = 'good';
  vision.delayMs = 0;
  vision.answer = GOOD_ANSWER;
  // Answers are remembered per account.
  api = (await test.createAccount()).api;
});

async function uploadImages(count: number): Promise<UploadResult> {
  const files = (await plainImages(count, { width: 320, height: 240 })).map(({ bytes }, index) => ({
    name: `IMG_000${index}.jpg`,
    bytes,
  }));
  return api.upload(files);
}

async function open(uploaded: UploadResult, body: Record<string, unknown> = {}, init: RequestInit = {}) {
  return api.request(`/v1/sessions/${uploaded.sessionId}/analyze`, { json: body, ...init });
}

async function collect(response: Response): Promise<AnalysisEvent[]> {
  expect(response.status).toBe(200);
  const events: AnalysisEvent[] = [];
  for await (const event of readEvents(response)) events.push(event as unknown as AnalysisEvent);
  return events;
}

async function analyze(uploaded: UploadResult, body: Record<string, unknown> = {}): Promise<AnalysisEvent['data']> {
  const last = (await collect(await open(uploaded, body))).at(-1);
  if (last?.event !== 'complete') throw new Error(`expected complete, but received ${JSON.stringify(last)}`);
  return last.data;
}

const report = (uploaded: UploadResult) => api.readJson<AnalysisReport>(`/v1/sessions/${uploaded.sessionId}/analysis`);
const edit = (uploaded: UploadResult, imageId: string, metadata: Record<string, unknown>) =>
  api.readJson<Image>(`/v1/sessions/${uploaded.sessionId}/images/${imageId}`, { method: 'PATCH', json: { metadata } });

describe('an analysis with a model', () => {
  it('streams its steps, tells the metadata of each finished image, and stores it', async () => {
    const uploaded = await uploadImages(3);
    const events = await collect(await open(uploaded));
    const terminal = events.filter(({ event }) => event !== 'progress');
    expect(terminal).toEqual([events.at(-1)]);
    for (const { id } of uploaded.images) {
      const steps = events.filter(({ data }) => data.imageId === id).map(({ data }) => data.step);
      expect(steps).toEqual(['queued', 'prepare', 'describe', 'done']);
    }
    const done = events.filter(({ data }) => data.step === 'done');
    expect(done.map(({ data }) => data.current)).toEqual([1, 2, 3]);
    expect(done.every(({ data }) => data.metadata?.alt === GOOD_ANSWER.alt)).toBe(true);
    expect(terminal[0]?.data).toMatchObject({
      status: 'completed',
      provider: 'openai-compatible',
      summary: { total: 3, completed: 3, failed: 0 },
      credits: { charged: 0, refunded: 0, balance: 25 },
    });
    const stored = await report(uploaded);
    expect(stored.status).toBe('completed');
    expect(stored.images.map(({ metadata }) => metadata?.source.alt)).toEqual(['ai', 'ai', 'ai']);
    const session = await api.readJson<Session>(`/v1/sessions/${uploaded.sessionId}`);
    expect(session.analysis).toEqual({ status: 'completed' });
    expect(session.jobs[0]).toMatchObject({ kind: 'analyze', settings: null, options: { maxAltChars: 125 } });
  });

  it('is the same operation at POST /v1/analyze, for the images that are named', async () => {
    const uploaded = await uploadImages(2);
    const images = [uploaded.images[1]?.id, { id: uploaded.images[0]?.id }];
    const response = await api.request('/v1/analyze', { json: { sessionId: uploaded.sessionId, images } });
    const last = (await collect(response)).at(-1);
    expect(last?.data.results.map(({ imageId }) => imageId)).toEqual([uploaded.images[1]?.id, uploaded.images[0]?.id]);
  });

  it('renames what is exported afterwards', async () => {
    const uploaded = await uploadImages(1);
    await analyze(uploaded);
    const { last } = await api.run('export', uploaded, { format: 'webp' });
    if (last.event !== 'complete') throw new Error('expected completion');
    expect(last.data.results[0]?.filename).toBe(`${GOOD_ANSWER.filename}.webp`);
  });

  it('answers a repetition from what it knows', async () => {
    const uploaded = await uploadImages(1);
    await analyze(uploaded);
    const asked = vision.requests.length;
    const again = await analyze(uploaded);
    expect(again.results[0]).toMatchObject({ fromCache: true, aiStatus: 'completed' });
    expect(vision.requests.length).toBe(asked);
  });

  it('goes on without the model when that fails, and says so for each image', async () => {
    vision.mode = 'unauthorized';
    const { status, results } = await analyze(await uploadImages(2));
    expect(status).toBe('completed');
    expect(results.map(({ aiStatus, error }) => ({ aiStatus, error }))).toEqual([
      { aiStatus: 'failed', error: null },
      { aiStatus: 'failed', error: null },
    ]);
    expect(results.every(({ metadata }) => metadata?.alt === null)).toBe(true);
  });
});

describe('what a person has edited', () => {
  it('is not overwritten, unless that is asked for', async () => {
    const uploaded = await uploadImages(1);
    const id = uploaded.images[0]?.id ?? '';
    await edit(uploaded, id, { alt: 'My own words' });
    expect((await analyze(uploaded)).results[0]?.metadata).toMatchObject({
      alt: 'My own words',
      title: GOOD_ANSWER.title,
      source: { alt: 'user', title: 'ai' },
    });
    const overwritten = await analyze(uploaded, { options: { overwrite: true } });
    expect(overwritten.results[0]?.metadata).toMatchObject({ alt: GOOD_ANSWER.alt, source: { alt: 'ai' } });
  });

  it('stays also when it is edited while the model thinks', async () => {
    const uploaded = await uploadImages(1);
    const id = uploaded.images[0]?.id ?? '';
    vision.delayMs = 1500;
    const running = analyze(uploaded);
    await vi.waitFor(() => expect(vision.requests.at(-1)?.abortedAt).toBeNull(), PATIENT);
    await edit(uploaded, id, { title: 'Written meanwhile' });
    expect((await running).results[0]?.metadata).toMatchObject({ title: 'Written meanwhile', alt: GOOD_ANSWER.alt });
    expect((await report(uploaded)).images[0]?.metadata?.source).toMatchObject({ title: 'user', alt: 'ai' });
  });
});

describe('a client that leaves', () => {
  it('ends the questions within 500 ms; what was described stays', async () => {
    const uploaded = await uploadImages(4);
    const first = uploaded.images[0]?.id ?? '';
    await analyze(uploaded, { images: [first] });
    vision.mode = 'hang';
    const asked = vision.requests.length;
    const leaving = new AbortController();
    const response = await open(uploaded, {}, { signal: leaving.signal });
    await vi.waitFor(() => expect(vision.requests.length).toBe(asked + 2), PATIENT);
    const leftAt = Date.now();
    leaving.abort();
    await response.body?.cancel().catch(() => {});
    await vi.waitFor(() => {
      const hanging = vision.requests.slice(asked);
      expect(hanging.map(({ abortedAt }) => (abortedAt ?? Number.POSITIVE_INFINITY) - leftAt <= 500)).toEqual([
        true,
        true,
      ]);
    }, PATIENT);
    const jobId = response.headers.get('X-Job-Id') ?? '';
    await vi.waitFor(
      async () => expect((await api.readJson<Job>(`/v1/jobs/${jobId}`)).status).toBe('cancelled'),
      PATIENT,
    );
    await sleep(100);
    expect(vision.requests.length).toBe(asked + 2);
    expect((await report(uploaded)).images[0]?.metadata?.alt).toBe(GOOD_ANSWER.alt);
  });

  it('before its stream was opened stops the analysis too', async () => {
    const uploaded = await uploadImages(4);
    vision.delayMs = 300;
    const body = JSON.stringify({});
    const { hostname, port } = new URL(test.url);
    const socket = connect(Number(port), hostname);
    socket.end(
      `POST /v1/sessions/${uploaded.sessionId}/analyze HTTP/1.1\r\nHost: x\r\nX-API-Key: ${api.apiKey}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    setTimeout(() => socket.destroy(), 3);
    await vi.waitFor(async () => {
      const { jobs } = await api.readJson<Session>(`/v1/sessions/${uploaded.sessionId}`);
      // Either the server never got to it, or it ended at once.
      expect(jobs.every(({ status }) => status === 'cancelled')).toBe(true);
    }, PATIENT);
  });

  it('by losing its connection gets the rest when it comes back with its Idempotency-Key', async () => {
    const uploaded = await uploadImages(4);
    vision.delayMs = 600;
    const headers = { 'Idempotency-Key': 'lost-1' };
    const leaving = new AbortController();
    const response = await open(uploaded, {}, { headers, signal: leaving.signal });
    const jobId = response.headers.get('X-Job-Id') ?? '';
    await vi.waitFor(
      async () => expect((await api.readJson<Job>(`/v1/jobs/${jobId}`)).current).toBeGreaterThan(0),
      PATIENT,
    );
    leaving.abort();
    await response.body?.cancel().catch(() => {});
    await vi.waitFor(
      async () => expect((await api.readJson<Job>(`/v1/jobs/${jobId}`)).status).toBe('cancelled'),
      PATIENT,
    );
    const events = await collect(await open(uploaded, {}, { headers }));
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
    expect(events.at(-1)).toMatchObject({ event: 'complete', data: { jobId, summary: { completed: 4 } } });
  });

  it('finds the end of a finished analysis by Last-Event-ID, and a repetition joins by Idempotency-Key', async () => {
    const uploaded = await uploadImages(2);
    const headers = { 'Idempotency-Key': 'analyze-1' };
    const events = await collect(await open(uploaded, {}, { headers }));
    const jobId = events[0]?.id.split(':')[0];
    const path = `/v1/jobs/${jobId}/events`;
    const resumed = await collect(await api.request(path, { headers: { 'Last-Event-ID': events[3]?.id ?? '' } }));
    expect(resumed).toEqual(events.slice(4));
    const seen = await api.request(path, { headers: { 'Last-Event-ID': events.at(-1)?.id ?? '' } });
    expect(seen.status).toBe(204);
    expect(await collect(await open(uploaded, {}, { headers }))).toEqual(events);
  });
});

describe('a request that cannot be done', () => {
  it.each([
    ['another session in the body', { sessionId: `sess_${'a'.repeat(22)}` }, 400, 'session_mismatch'],
    ['an unknown image', { images: [`img_${'a'.repeat(22)}`] }, 404, 'image_not_found'],
    ['no image', { images: [] }, 400, 'invalid_request'],
    ['an impossible length', { options: { maxAltChars: 251 } }, 400, 'invalid_request'],
    ['no language', { options: { language: 'klingon please' } }, 400, 'invalid_request'],
  ])('%s: a plain answer', async (_name, body, status, code) => {
    const response = await open(await uploadImages(1), body);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ code });
  });

  it('an image twice, and a session of somebody else', async () => {
    const uploaded = await uploadImages(1);
    const id = uploaded.images[0]?.id;
    const twice = await open(uploaded, { images: [id, { id }] });
    expect(twice.status).toBe(400);
    expect(await twice.json()).toMatchObject({ code: 'duplicate_image' });
    const { api: stranger } = await test.createAccount();
    for (const path of ['analyze', 'analysis']) {
      const method = path === 'analyze' ? { json: {} } : {};
      const response = await stranger.request(`/v1/sessions/${uploaded.sessionId}/${path}`, method);
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ code: 'session_not_found' });
    }
  });
});

describe('an analysis without a model', () => {
  let alone: TestService;
  beforeAll(async () => {
    alone = await startTestService();
  });
  afterAll(() => alone?.close());

  it('says so, invents no alternative text, and sends nothing', async () => {
    const asked = vision.requests.length;
    const { bytes } = await plainImage('x.jpg');
    const uploaded = await alone.api.upload([{ name: 'red-bicycle_front-view.jpg', bytes }]);
    const response = await alone.api.request(`/v1/sessions/${uploaded.sessionId}/analyze`, { json: {} });
    const last = (await collect(response)).at(-1);
    expect(last?.data.provider).toBe('none');
    expect(last?.data.results[0]?.metadata).toMatchObject({
      title: 'red bicycle front view',
      alt: null,
      source: { title: 'filename' },
      aiStatus: 'none',
    });
    expect(vision.requests.length).toBe(asked);
  });
});
