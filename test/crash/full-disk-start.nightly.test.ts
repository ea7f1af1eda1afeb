import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { auditOf, clientOf, createAccountIn, type ServiceProcess, startServiceProcess } from './service-process.ts';
import { mountSmallDisk, reasonNotToMount } from './small-disk.ts';
import { smallPhotographs } from './small-photographs.ts';

const DISK_MB = 16;
const HOURS = 3 * 3_600_000;
const SHIFT_CLOCK = fileURLToPath(new URL('../support/shift-clock.mjs', import.meta.url));

const reason = reasonNotToMount();
if (reason) console.warn(`SKIPPED: the start on a full disk was not tested, because ${reason}`);

describe.skipIf(reason !== null)('a service that was killed on a full disk', () => {
  it('starts without a free byte and makes room by its own sweep; the audit works before that, too', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'imagewright-full-'));
    const clock = `${dataDir}.shift`;
    const disk = mountSmallDisk(dataDir, DISK_MB);
    let service: ServiceProcess | undefined;
    try {
      const env = { DATA_DIR: dataDir, SESSION_TTL_HOURS: '1', SWEEP_SECONDS: '1', CLOCK_SHIFT_FILE: clock };
      await writeFile(clock, '0');
      const key = await createAccountIn(env, 'full@example.com', 100);
      service = await startServiceProcess(env);
      const { sessionId } = await clientOf(service, key).upload(await smallPhotographs(8));
      await disk.fill(0);
      await service.kill();

      expect(await auditOf(env)).toEqual({ ok: true, broken: [], pending: 0 });
      await writeFile(clock, String(HOURS));
      service = await startServiceProcess(env, ['--import', SHIFT_CLOCK]);
      const api = clientOf(service, key);
      await expect.poll(() => service?.log.some(({ msg }) => msg === 'removed expired sessions')).toBe(true);
      expect((await api.request(`/v1/sessions/${sessionId}`)).status).toBe(404);
      expect((await api.request('/v1/sessions')).status).toBe(200);
      // Another program still holds the rest of the disk, so what the sweep has freed is all there is.
      await expect.poll(async () => (await api.upload(await smallPhotographs(1))).images.length).toBe(1);
      expect(await auditOf(env)).toEqual({ ok: true, broken: [], pending: 0 });
      expect(await service.terminate()).toBe(0);
    } finally {
      await service?.kill();
      disk.unmount();
      await rm(dataDir, { recursive: true, force: true });
      await rm(clock, { force: true });
    }
  });
});
