import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { formOf } from '../support/api-client.ts';
import { untilAnswered } from '../support/until-answered.ts';
import { mountFaultyDisk, reasonNotToFault } from './faulty-disk.ts';
import { collect, type Follower, resume } from './job-client.ts';
import { auditOf, clientOf, createAccountIn, type ServiceProcess, startServiceProcess } from './service-process.ts';
import { smallPhotographs } from './small-photographs.ts';

const IMAGES = 12;

const reason = reasonNotToFault();
if (reason) console.warn(`SKIPPED: the read-only disk was not tested, because ${reason}`);

describe.skipIf(reason !== null)('a disk that becomes read-only while an export runs', () => {
  it('is told by /readyz, refused with 503 and Retry-After, ends the stream, and after its repair the key goes on', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'imagewright-read-only-'));
    const disk = mountFaultyDisk(dataDir);
    let service: ServiceProcess | undefined;
    try {
      const env = { DATA_DIR: dataDir, WORKERS: '1' };
      const key = await createAccountIn(env, 'read-only@example.com', 100);
      service = await startServiceProcess(env);
      const ready = async () => {
        const response = await fetch(`${service?.url}/readyz`);
        return { status: response.status, retryAfter: response.headers.get('Retry-After'), ...(await response.json()) };
      };
      expect(await ready()).toEqual({ status: 'ready', retryAfter: null });
      const api = clientOf(service, key);
      const uploaded = await api.upload(await smallPhotographs(IMAGES));
      const path = `/v1/sessions/${uploaded.sessionId}/export`;
      const json = api.exportBody(uploaded, { format: 'avif' });
      const headers = { 'Idempotency-Key': 'read-only' };
      const follower: Follower = { jobId: null, events: [], clean: false };
      const response = await api.request(path, { json, headers });
      await collect(response, follower, ({ data }) => {
        if ('current' in data && data.current > 0) disk.fail();
      });
      // The stream has ended by itself, without a last event: the job is not over.
      expect(follower.events.every(({ event }) => event === 'progress')).toBe(true);
      expect(follower.clean).toBe(true);

      const [photograph] = await smallPhotographs(1);
      const writes: [string, () => Promise<Response>][] = [
        [
          'upload',
          async () => api.request('/v1/sessions', { method: 'POST', body: await formOf([photograph as never]) }),
        ],
        ['export', () => api.request(path, { json })],
        [
          'edit',
          () =>
            api.request(`/v1/sessions/${uploaded.sessionId}/images/${uploaded.images[0]?.id}`, {
              method: 'PATCH',
              json: { metadata: { alt: 'x' } },
            }),
        ],
        ['stream', () => api.request(`/v1/jobs/${follower.jobId}/events`)],
      ];
      for (const [what, send] of writes) {
        const refused = await send();
        const { code } = await refused.json();
        expect([what, refused.status, code]).toEqual([what, 503, 'storage_unavailable']);
        expect(refused.headers.get('Retry-After')).toMatch(/^\d+$/);
      }
      expect(await ready()).toMatchObject({
        status: 'unavailable',
        retryAfter: '5',
        reason: expect.stringMatching(/folder of .* cannot be written \(EROFS\)/),
      });
      expect((await api.request(`/v1/sessions/${uploaded.sessionId}`)).status).toBe(200);
      expect((await fetch(`${service.url}/healthz`)).status).toBe(200);

      await service.kill();
      disk.repair();
      service = await startServiceProcess(env);
      expect(await ready()).toEqual({ status: 'ready', retryAfter: null });
      const again = clientOf(service, key);
      const joined = await untilAnswered(() => again.request(path, { json, headers }));
      expect(joined.headers.get('X-Job-Id')).toBe(follower.jobId);
      const rest: Follower = { jobId: follower.jobId, events: [], clean: false };
      await collect(joined, rest);
      await resume(again, rest);
      expect(rest.events.at(-1)).toMatchObject({ event: 'complete', data: { summary: { completed: IMAGES } } });
      expect(await again.balance()).toBe(100 - IMAGES);
      expect(await auditOf(env)).toEqual({ ok: true, broken: [], pending: 0 });
      expect(await service.terminate()).toBe(0);
    } finally {
      await service?.kill();
      disk.unmount();
      await rm(dataDir, { recursive: true, force: true });
    }
  });
});
