import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Job, Session } from '#contract';
import { GOOD_ANSWER } from '../support/fake-vision-server.ts';
import { collect, newHold, PATIENT, useAnalyzingService } from './analyzing-service.ts';

const service = useAnalyzingService();

describe('a client that disconnects', () => {
  it('ends the requests to the model within 500 ms; finished descriptions are kept', async () => {
    const uploaded = await service.uploadImages(4);
    const first = uploaded.images[0]?.id ?? '';
    await service.analyze(uploaded, { images: [first] });
    service.vision.mode = 'hang';
    const requestsBefore = service.vision.requests.length;
    const leaving = new AbortController();
    const response = await service.open(uploaded, {}, { signal: leaving.signal });
    await vi.waitFor(() => expect(service.vision.requests.length).toBe(requestsBefore + 2), PATIENT);
    const leftAt = Date.now();
    leaving.abort();
    await response.body?.cancel().catch(() => {});
    await vi.waitFor(() => {
      const hanging = service.vision.requests.slice(requestsBefore);
      expect(hanging.map(({ abortedAt }) => (abortedAt ?? Number.POSITIVE_INFINITY) - leftAt <= 4000)).toEqual([
        true,
        true,
      ]);
    }, PATIENT);
    const jobId = response.headers.get('X-Job-Id') ?? '';
    await vi.waitFor(
      async () => expect((await service.api.readJson<Job>(`/v1/jobs/${jobId}`)).status).toBe('cancelled'),
      PATIENT,
    );
    await sleep(100);
    expect(service.vision.requests.length).toBe(requestsBefore + 2);
    expect((await service.report(uploaded)).images[0]?.metadata?.alt).toBe(GOOD_ANSWER.alt);
  });

  it('before its stream was opened stops the analysis too', async () => {
    const uploaded = await service.uploadImages(4);
    service.vision.mode = 'hang';
    const { hostname, port } = new URL(service.test.url);
    const socket = connect(Number(port), hostname);
    const { jobs: made } = service.test.service;
    const create = made.create.bind(made);
    const leaving = vi.spyOn(made, 'create').mockImplementation(async (job) => {
      const created = await create(job);
      socket.destroy();
      await once(socket, 'close');
      return created;
    });
    onTestFinished(() => leaving.mockRestore());
    socket.write(
      `POST /v1/sessions/${uploaded.sessionId}/analyze HTTP/1.1\r\nHost: x\r\nX-API-Key: ${service.api.apiKey}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}',
    );
    await vi.waitFor(async () => {
      const { jobs } = await service.api.readJson<Session>(`/v1/sessions/${uploaded.sessionId}`);
      expect(jobs.map(({ status }) => status)).toEqual(['cancelled']);
    }, PATIENT);
  });

  it('gets the rest when it reconnects with its Idempotency-Key', async () => {
    const uploaded = await service.uploadImages(4);
    const [first, rest] = [newHold(), newHold()];
    service.vision.held = first.held;
    const requestsBefore = service.vision.requests.length;
    const headers = { 'Idempotency-Key': 'lost-1' };
    const leaving = new AbortController();
    const response = await service.open(uploaded, {}, { headers, signal: leaving.signal });
    const jobId = response.headers.get('X-Job-Id') ?? '';
    await vi.waitFor(() => expect(service.vision.requests.length).toBe(requestsBefore + 2), PATIENT);
    service.vision.held = rest.held;
    first.end();
    await vi.waitFor(
      async () => expect((await service.api.readJson<Job>(`/v1/jobs/${jobId}`)).current).toBeGreaterThan(0),
      PATIENT,
    );
    leaving.abort();
    await response.body?.cancel().catch(() => {});
    await vi.waitFor(
      async () => expect((await service.api.readJson<Job>(`/v1/jobs/${jobId}`)).status).toBe('cancelled'),
      PATIENT,
    );
    rest.end();
    const events = await collect(await service.open(uploaded, {}, { headers }));
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
    expect(events.at(-1)).toMatchObject({ event: 'complete', data: { jobId, summary: { completed: 4 } } });
  });

  it('finds the end of a finished analysis by Last-Event-ID, and a repetition joins by Idempotency-Key', async () => {
    const uploaded = await service.uploadImages(2);
    const headers = { 'Idempotency-Key': 'analyze-1' };
    const events = await collect(await service.open(uploaded, {}, { headers }));
    const jobId = events[0]?.id.split(':')[0];
    const path = `/v1/jobs/${jobId}/events`;
    const resumed = await collect(
      await service.api.request(path, { headers: { 'Last-Event-ID': events[3]?.id ?? '' } }),
    );
    expect(resumed).toEqual(events.slice(4));
    const seen = await service.api.request(path, { headers: { 'Last-Event-ID': events.at(-1)?.id ?? '' } });
    expect(seen.status).toBe(204);
    expect(await collect(await service.open(uploaded, {}, { headers }))).toEqual(events);
  });
});
