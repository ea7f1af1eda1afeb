import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { PATIENCE_MS } from '../support/patience.ts';
import { collect, type Follower } from './job-client.ts';
import { clientOf, createAccountIn, startServiceProcess } from './service-process.ts';

const LIMIT_MB = 500;

/** Makes a control group with a limit of memory. @returns the file that processes join by, or null where that is not possible */
function limitedGroup(): string | null {
  for (const [root, limit] of [
    ['/sys/fs/cgroup/memory', 'memory.limit_in_bytes'],
    ['/sys/fs/cgroup', 'memory.max'],
  ] as const) {
    const group = join(root, `imagewright-test-${process.pid}`);
    try {
      mkdirSync(group);
      if (!existsSync(join(group, limit))) throw new Error(`no ${limit}`);
      writeFileSync(join(group, limit), String(LIMIT_MB * 1_000_000));
      return join(group, 'cgroup.procs');
    } catch {
      if (existsSync(group)) rmdirSync(group);
    }
  }
  return null;
}

it('an encoder that the kernel kills for lack of memory says so, and the service goes on', async ({ skip }) => {
  const procs = limitedGroup();
  if (!procs) {
    console.warn('SKIPPED: this user cannot make a control group with a limit of memory');
    return skip('no control group with a limit of memory');
  }
  const dataDir = await mkdtemp(join(tmpdir(), 'imagewright-memory-'));
  const env = { DATA_DIR: dataDir };
  const key = await createAccountIn(env, 'memory@example.com', 100);
  const joining = `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(procs)}, String(process.pid));`;
  const service = await startServiceProcess(env, [`--import=data:text/javascript,${encodeURIComponent(joining)}`]);
  try {
    expect(service.log.find(({ msg }) => msg === 'image processing started')).toMatchObject({ workers: 1 });
    const api = clientOf(service, key);
    const exported = async (file: string, format: 'avif' | 'webp') => {
      const uploaded = await api.upload([{ name: file, bytes: await readFile(`test/fixtures/photos/${file}`) }]);
      const json = api.exportBody(uploaded, { format });
      const follower: Follower = { jobId: null, events: [], clean: false };
      await collect(await api.request(`/v1/sessions/${uploaded.sessionId}/export`, { json }), follower, () => {});
      return follower.events.at(-1);
    };
    const failed = JSON.stringify(await exported('art-stripes-24mp.jpg', 'avif'));
    expect(failed).toContain(`its process was killed for lack of memory (limit of the container: ${LIMIT_MB - 1} MB)`);
    expect(service.log.filter(({ msg }) => msg === 'a worker process died')).toHaveLength(2);
    expect(await exported('photo-brushes.jpg', 'webp')).toMatchObject({ event: 'complete' });
    expect(await api.balance()).toBe(99);
    expect(await service.terminate()).toBe(0);
  } finally {
    await service.kill();
    // The last of its processes may still be ending.
    await vi.waitFor(() => rmdirSync(dirname(procs)), PATIENCE_MS);
    await rm(dataDir, { recursive: true, force: true });
  }
});
