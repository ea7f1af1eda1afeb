import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onTestServer } from '../support/database.ts';
import { faultyFiles } from './files-on-disk.ts';
import { collect, type Follower, faultsOf } from './job-client.ts';
import { auditOf, clientOf, createAccountIn, type ServiceProcess, startServiceProcess } from './service-process.ts';
import { smallPhotographs } from './small-photographs.ts';

const IMAGES = 10;

describe('kill -9 of an encoding process', () => {
  let dataDir: string;
  let env: Record<string, string>;
  let service: ServiceProcess;
  let key: string;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'imagewright-worker-'));
    env = onTestServer({ DATA_DIR: dataDir });
    key = await createAccountIn(env, 'worker@example.com', 100);
    service = await startServiceProcess(env);
  });
  afterAll(async () => {
    await service?.kill();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('costs at most one image: the others finish, one last event, the same server', async () => {
    const api = clientOf(service, key);
    const uploaded = await api.upload(await smallPhotographs(IMAGES));
    const response = await api.request(`/v1/sessions/${uploaded.sessionId}/export`, {
      json: api.exportBody(uploaded, { format: 'avif' }),
    });
    const follower: Follower = { jobId: null, events: [], clean: false };
    const third = uploaded.images[2]?.id;
    let killed = 0;
    await collect(response, follower, ({ event, data }) => {
      const inWork = event === 'progress' && data.imageId === third && data.step === 'load';
      if (!inWork || killed > 0) return;
      // Both encoding processes are at work: one of them on the third image.
      for (const pid of service.workers.slice(0, 2)) {
        process.kill(pid, 'SIGKILL');
        killed += 1;
      }
    });

    expect(killed).toBe(2);
    expect(faultsOf(follower)).toEqual([]);
    const last = follower.events.at(-1);
    if (last?.event !== 'complete') throw new Error(`expected complete, but received ${JSON.stringify(last)}`);
    expect(last.data.results).toHaveLength(IMAGES);
    expect(last.data.summary.completed).toBeGreaterThanOrEqual(IMAGES - 1);
    expect(service.child.exitCode).toBeNull();
    expect(service.log.filter(({ msg }) => msg === 'a worker process died').length).toBeGreaterThan(0);
    expect(await api.balance()).toBe(100 - last.data.summary.completed);
    expect(await faultyFiles(dataDir)).toEqual([]);
    expect(await auditOf(env)).toEqual({ ok: true, broken: [], pending: 0 });
  });
});
