import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Balance, Image, Session, UploadResult } from '#contract';
import { GOOD_ANSWER } from '../support/fake-vision-server.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { plainImage } from '../support/small-images.ts';
import { collect, newHold, PATIENT, useAnalyzingService } from './analyzing-service.ts';

const service = useAnalyzingService();
const edit = (uploaded: UploadResult, imageId: string, metadata: Record<string, unknown>) =>
  service.api.readJson<Image>(`/v1/sessions/${uploaded.sessionId}/images/${imageId}`, {
    method: 'PATCH',
    json: { metadata },
  });

describe('an analysis with a model', () => {
  it('streams its steps and the metadata of each finished image, and stores it', async () => {
    const uploaded = await service.uploadImages(3);
    const events = await collect(await service.open(uploaded));
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
    const stored = await service.report(uploaded);
    expect(stored.status).toBe('completed');
    expect(stored.images.map(({ metadata }) => metadata?.source.alt)).toEqual(['ai', 'ai', 'ai']);
    const session = await service.api.readJson<Session>(`/v1/sessions/${uploaded.sessionId}`);
    expect(session.analysis).toEqual({ status: 'completed' });
    expect(session.jobs[0]).toMatchObject({ kind: 'analyze', settings: null, options: { maxAltChars: 125 } });
  });

  it('is the same operation at POST /v1/analyze, for the listed images', async () => {
    const uploaded = await service.uploadImages(2);
    const images = [uploaded.images[1]?.id, { id: uploaded.images[0]?.id }];
    const response = await service.api.request('/v1/analyze', { json: { sessionId: uploaded.sessionId, images } });
    const last = (await collect(response)).at(-1);
    expect(last?.data.results.map(({ imageId }) => imageId)).toEqual([uploaded.images[1]?.id, uploaded.images[0]?.id]);
  });

  it('renames later exports', async () => {
    const uploaded = await service.uploadImages(1);
    await service.analyze(uploaded);
    const { last } = await service.api.run('export', uploaded, { format: 'webp' });
    if (last.event !== 'complete') throw new Error('expected completion');
    expect(last.data.results[0]?.filename).toBe(`${GOOD_ANSWER.filename}.webp`);
  });

  it('responds to a repetition from the cache', async () => {
    const uploaded = await service.uploadImages(1);
    await service.analyze(uploaded);
    const requestsBefore = service.vision.requests.length;
    const again = await service.analyze(uploaded);
    expect(again.results[0]).toMatchObject({ fromCache: true, aiStatus: 'completed' });
    expect(service.vision.requests.length).toBe(requestsBefore);
  });

  it('continues without a failing model and reports it for each image', async () => {
    service.vision.mode = 'unauthorized';
    const { status, results } = await service.analyze(await service.uploadImages(2));
    expect(status).toBe('completed');
    expect(results.map(({ aiStatus, error }) => ({ aiStatus, error }))).toEqual([
      { aiStatus: 'failed', error: null },
      { aiStatus: 'failed', error: null },
    ]);
    expect(results.every(({ metadata }) => metadata?.alt === null)).toBe(true);
  });
});

describe('the daily limit of the plan', () => {
  const used = async () => (await service.api.readJson<Balance>('/v1/credits/balance')).limits.analysesPerDay?.used;

  it('counts described images, but not those in the cache', async () => {
    const uploaded = await service.uploadImages(3);
    await service.analyze(uploaded);
    await service.analyze(uploaded);
    expect(await used()).toBe(3);
    await service.analyze(await service.uploadImages(4));
    expect(await used()).toBe(4);
  });

  it('does not count images that a failing model has not described', async () => {
    service.vision.mode = 'unauthorized';
    await service.analyze(await service.uploadImages(2));
    expect(await used()).toBe(0);
  });

  it('gives nothing back today that was counted yesterday', async () => {
    const { limits } = service.test.service.accounts;
    await limits.count(service.accountId, 'analyses', 5);
    await limits.giveBackOne(service.accountId, 'analyses', new Date(Date.now() - 86_400_000));
    expect(await used()).toBe(5);
  });

  it('refuses more images with 429 before the model is asked', async () => {
    const uploaded = await service.uploadImages(2);
    const requestsBefore = service.vision.requests.length;
    await service.test.service.accounts.limits.count(service.accountId, 'analyses', 49);
    const response = await service.open(uploaded);
    expect(response.status).toBe(429);
    expect(await response.json()).toMatchObject({ code: 'daily_limit_reached', limit: 50, used: 49 });
    expect(service.vision.requests.length).toBe(requestsBefore);
    const [first] = uploaded.images;
    expect((await collect(await service.open(uploaded, { images: [first?.id] }))).at(-1)?.event).toBe('complete');
  });
});

describe('edited values', () => {
  it('is not overwritten, unless requested', async () => {
    const uploaded = await service.uploadImages(1);
    const id = uploaded.images[0]?.id ?? '';
    await edit(uploaded, id, { alt: 'My own words' });
    expect((await service.analyze(uploaded)).results[0]?.metadata).toMatchObject({
      alt: 'My own words',
      title: GOOD_ANSWER.title,
      source: { alt: 'user', title: 'ai' },
    });
    const overwritten = await service.analyze(uploaded, { options: { overwrite: true } });
    expect(overwritten.results[0]?.metadata).toMatchObject({ alt: GOOD_ANSWER.alt, source: { alt: 'ai' } });
  });

  it('is kept if it was edited during the analysis', async () => {
    const uploaded = await service.uploadImages(1);
    const id = uploaded.images[0]?.id ?? '';
    const { held, end } = newHold();
    service.vision.held = held;
    const requestsBefore = service.vision.requests.length;
    const running = service.analyze(uploaded);
    await vi.waitFor(() => expect(service.vision.requests.length).toBe(requestsBefore + 1), PATIENT);
    await edit(uploaded, id, { title: 'Written meanwhile' });
    end();
    expect((await running).results[0]?.metadata).toMatchObject({ title: 'Written meanwhile', alt: GOOD_ANSWER.alt });
    expect((await service.report(uploaded)).images[0]?.metadata?.source).toMatchObject({ title: 'user', alt: 'ai' });
  });
});

describe('an invalid request', () => {
  it.each([
    ['another session in the body', { sessionId: `sess_${'a'.repeat(22)}` }, 400, 'session_mismatch'],
    ['an unknown image', { images: [`img_${'a'.repeat(22)}`] }, 404, 'image_not_found'],
    ['no image', { images: [] }, 400, 'invalid_request'],
    ['an impossible length', { options: { maxAltChars: 251 } }, 400, 'invalid_request'],
    ['no language', { options: { language: 'klingon please' } }, 400, 'invalid_request'],
  ])('%s: a plain JSON response', async (_name, body, status, code) => {
    const response = await service.open(await service.uploadImages(1), body);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ code });
  });

  it('an image twice, and a session of another account', async () => {
    const uploaded = await service.uploadImages(1);
    const id = uploaded.images[0]?.id;
    const twice = await service.open(uploaded, { images: [id, { id }] });
    expect(twice.status).toBe(400);
    expect(await twice.json()).toMatchObject({ code: 'duplicate_image' });
    const { api: stranger } = await service.test.createAccount();
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

  it('reports that, invents no alternative text, and sends nothing', async () => {
    const requestsBefore = service.vision.requests.length;
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
    expect(service.vision.requests.length).toBe(requestsBefore);
  });
});
