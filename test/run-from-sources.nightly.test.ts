import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { clientOf, createAccountIn, startServiceProcess } from './crash/service-process.ts';

const SOURCE = fileURLToPath(new URL('../server/main.ts', import.meta.url));

/** As `npm run dev` runs it: everywhere else the tests have the processes and threads of the service as they are built. */
it('runs from its sources, with its database, and with its processes for images', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'imagewright-sources-'));
  try {
    const env = { DATA_DIR: dataDir };
    const key = await createAccountIn(env, 'developer@example.com', 10);
    const service = await startServiceProcess(env, ['--import', 'tsx'], { program: SOURCE });
    try {
      const api = clientOf(service, key);
      const { last } = await api.run('export', await api.upload(['photos/photo-stream.jpg']), { format: 'webp' });
      expect(last).toMatchObject({ event: 'complete', data: { summary: { total: 1, completed: 1 } } });
    } finally {
      await service.kill();
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
});
