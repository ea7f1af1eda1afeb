import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { UploadResult } from '#contract';
import { expectCleanBooks, metric, untilIdle } from '../support/aftermath.ts';
import { type ClientEvent, readEvents } from '../support/api-client.ts';
import { type SharedService, sharedService } from '../support/shared-service.ts';
import { noiseImage, plainImages } from '../support/small-images.ts';

let test: SharedService;
beforeAll(async () => {
  test = await sharedService();
});
afterEach(() => expectCleanBooks(test));

let seed = 0;
/** Noise that no earlier test has encoded. */
function noise(count: number) {
  seed += 100;
  return Promise.all(Array.from({ length: count }, (_, index) => noiseImage(`n${index}.png`, { seed: seed + index })));
}

async function startExport(uploaded: UploadResult, settings: unknown = {}, headers: Record<string, string> = {}) {
  const response = await test.api.request(`/v1/sessions/${uploaded.sessionId}/export`, {
    json: { images: uploaded.images.map(({ id }) => ({ id })), settings },
    headers,
  });
  return { response, jobId: response.headers.get('X-Job-Id') ?? '' };
}

async function follow(jobId: string, lastEventId?: string): Promise<{ status: number; events: ClientEvent[] }> {
  const headers = new Headers(lastEventId === undefined ? [] : [['Last-Event-ID', lastEventId]]);
  const response = await test.api.request(`/v1/jobs/${jobId}/events`, { headers });
  const events: ClientEvent[] = [];
  if (response.status === 200) for await (const event of readEvents(response)) events.push(event);
  return { status: response.status, events };
}

describe('the stream of an export', () => {
  it('begins with retry and a comment, and says that it must be neither cached nor buffered nor compressed', async () => {
    const uploaded = await test.api.upload(await plainImages(1));
    const { response, jobId } = await startExport(uploaded, {}, { 'Accept-Encoding': 'gzip, br' });
    const text = await response.text();
    expect(text).toMatch(/^retry: 3000\n: \w+\n\n/);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      'x-job-id': jobId,
    });
    expect(response.headers.get('Content-Encoding')).toBeNull();
    const blocks = text.split('\n\n').filter((block) => block.includes('event:'));
    for (const block of blocks) {
      expect(block).toMatch(/^id: job_\w{22}:\d+\nevent: (progress|complete|error)\ndata: \{.*\}$/);
    }
    expect(text.endsWith('\n\n')).toBe(true);
  });

  it('numbers its events from 0 without a gap, counts up and never down, and ends with its one last event', async () => {
    const uploaded = await test.api.upload([...(await noise(4)), ...(await plainImages(4))]);
    const { events, jobId } = await test.api.run('export', uploaded, { responsive: true, responsiveSizes: [100] });
    expect(events.map(({ id }) => id)).toEqual(events.map((_, index) => `${jobId}:${index}`));
    expect(events.map(({ event }) => event === 'progress')).toEqual(
      events.map((_, index) => index < events.length - 1),
    );

    const progress = events.flatMap((event) => (event.event === 'progress' ? [event.data] : []));
    const current = progress.map((data) => data.current);
    expect(current).toEqual([...current].sort((a, b) => a - b));
    expect([current[0], current.at(-1)]).toEqual([0, 8]);
    expect(new Set(progress.map(({ total }) => total))).toEqual(new Set([8]));
    for (const { id } of uploaded.images) {
      const own = progress.filter(({ imageId }) => imageId === id);
      const steps = own.map(({ step }) => step);
      const order = ['queued', 'load', 'optimize', 'resize', 'save', 'done'];
      expect(steps).toEqual(order.filter((step) => steps.includes(step)));
      expect(own.map(({ status }) => status)).toEqual(
        steps.map((step) => ({ queued: 'queued', done: 'completed' })[step] ?? 'processing'),
      );
      expect(own[0]).toMatchObject({ status: 'queued', step: 'queued' });
      expect(own.at(-1)).toMatchObject({ status: 'completed', step: 'done' });
    }
  });

  it('can be resumed behind every one of its events, without a gap and without a duplicate', async () => {
    const { events, jobId } = await test.api.run('export', await test.api.upload(await plainImages(3)));
    expect((await follow(jobId)).events).toEqual(events);
    for (const [index, { id }] of events.entries()) {
      const resumed = await follow(jobId, id);
      const isLast = index === events.length - 1;
      expect([resumed.status, resumed.events]).toEqual([isLast ? 204 : 200, events.slice(index + 1)]);
    }
  });

  it('is sent from its start to a Last-Event-ID of another job or of no job', async () => {
    const { events, jobId } = await test.api.run('export', await test.api.upload(await plainImages(1)));
    for (const id of [`job_${'z'.repeat(22)}:2`, 'rubbish', `${jobId}:-1`, `${jobId}:1e9`, `${jobId}:`, '\u00ff']) {
      expect((await follow(jobId, id)).events).toEqual(events);
    }
  });

  it('can be left at any event while it runs and resumed: together the two parts are the whole', async () => {
    const { api } = test;
    const balance = await api.balance();
    for (let leaveAfter = 1; leaveAfter <= 9; leaveAfter += 2) {
      const uploaded = await api.upload(await noise(2));
      const { response, jobId } = await startExport(uploaded);
      const first: ClientEvent[] = [];
      for await (const event of readEvents(response)) {
        first.push(event);
        if (first.length === leaveAfter) break;
      }
      const rest = await follow(jobId, first.at(-1)?.id);
      const fullStream = await follow(jobId);
      expect([...first, ...rest.events]).toEqual(fullStream.events);
      expect(fullStream.events.at(-1)?.event).toBe('complete');
    }
    expect(await api.balance()).toBe(balance - 10);
  });

  it('that everyone has left goes on: the files are there, and it was charged once', async () => {
    const { api } = await test.createAccount({ credits: 10 });
    const uploaded = await api.upload(await noise(3));
    const leaving = new AbortController();
    const response = await api.request(`/v1/sessions/${uploaded.sessionId}/export`, {
      json: api.exportBody(uploaded, {}),
      signal: leaving.signal,
    });
    const jobId = response.headers.get('X-Job-Id') ?? '';
    leaving.abort();
    await untilIdle(test);
    expect(await api.readJson(`/v1/jobs/${jobId}`)).toMatchObject({
      status: 'completed',
      current: 3,
      credits: { charged: 3, refunded: 0, balance: 7 },
    });
    expect((await api.request(`/v1/sessions/${uploaded.sessionId}/download?filename=n2.webp`)).status).toBe(200);
    expect(await api.balance()).toBe(7);
  });

  it('is joined while it runs by a repetition with its Idempotency-Key, from the first event on', async () => {
    const uploaded = await test.api.upload(await noise(3));
    const headers = { 'Idempotency-Key': 'join-me' };
    const { response, jobId } = await startExport(uploaded, {}, headers);
    const events: ClientEvent[] = [];
    let joined: Promise<ClientEvent[]> | undefined;
    for await (const event of readEvents(response)) {
      events.push(event);
      joined ??= startExport(uploaded, {}, headers).then(async (second) => {
        expect(second.jobId).toBe(jobId);
        const theirs = [];
        for await (const their of readEvents(second.response)) theirs.push(their);
        return theirs;
      });
    }
    expect(await joined).toEqual(events);
  });

  it('of another account does not exist', async () => {
    const { jobId } = await test.api.run('sample', await test.api.upload(await plainImages(1)));
    const { api } = await test.createAccount();
    for (const [path, method] of [
      ['', 'GET'],
      ['/events', 'GET'],
      ['/cancel', 'POST'],
    ]) {
      const response = await api.request(`/v1/jobs/${jobId}${path}`, { method });
      expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([404, 'job_not_found']);
    }
  });

  it('is counted while it is open, and no longer when its reader is gone', async () => {
    const { response } = await startExport(await test.api.upload(await noise(2)));
    expect(await metric(test.url, 'imagewright_open_streams')).toBe(1);
    await response.text();
    await untilIdle(test);
    expect(await metric(test.url, 'imagewright_open_streams')).toBe(0);
  });
});
