import { mkdtempSync, rmSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { parseDataCommand } from '../../server/admin/data-commands.ts';
import { loadConfig } from '../../server/config/index.ts';
import { openFiles } from '../../server/storage/index.ts';
import { startS3Server } from '../storage/s3-server.ts';
import { createApiClient } from '../support/api-client.ts';
import { startTestService } from '../support/service.ts';
import { plainImages } from '../support/small-images.ts';

async function admin(line: string, env: Record<string, string>) {
  const report = vi.spyOn(console, 'error').mockImplementation(() => {});
  try {
    return (await parseDataCommand(line.split(' '))?.(loadConfig(env))) as Record<string, unknown>;
  } finally {
    report.mockRestore();
  }
}

// A backup of a MongoDB server is made by its own programs.
it.skipIf(process.env.TEST_MONGODB_URI)(
  'an embedded database whose files are in a bucket is backed up and restored',
  async () => {
    const directory = mkdtempSync(join(tmpdir(), 'imagewright-bucket-backup-'));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    const s3 = await startS3Server();
    onTestFinished(() => s3.close());
    const source = { DATA_DIR: join(directory, 'data'), ...s3.env('source') };
    const service = await startTestService(source);
    onTestFinished(() => service.close());
    const { api, apiKey } = await service.createAccount({ credits: 10 });
    const uploaded = await api.upload(await plainImages(2));
    await api.run('export', uploaded, { format: 'webp' });
    const backup = join(directory, 'backup');

    await expect(admin(`backup --to ${backup}`, source)).rejects.toThrow('backup hold');
    await admin('backup hold --minutes 5', source);
    const facts = await admin(`backup --to ${backup}`, source);
    expect(facts).toMatchObject({
      format: 1,
      files: 0,
      bytes: 0,
      namedFiles: 4,
      store: expect.stringContaining('source'),
    });
    expect(await readdir(join(backup, 'files'))).toEqual([]);
    await admin('backup release', source);

    const restored = { ...source, DATA_DIR: join(directory, 'restored') };
    await expect(admin(`restore --from ${backup}`, { DATA_DIR: restored.DATA_DIR })).rejects.toThrow(
      'FILES_URL: expected the store',
    );
    await admin(`restore --from ${backup}`, restored);
    await service.close();
    const copy = await startTestService(restored);
    onTestFinished(() => copy.close());
    const there = createApiClient({ url: copy.url, apiKey });
    expect((await there.run('export', uploaded, { format: 'png' })).last).toMatchObject({
      event: 'complete',
      data: { summary: { completed: 2 } },
    });

    // The bucket has lost a file that the database names.
    const { store } = await openFiles(loadConfig(source).storage);
    await store.removeMany(uploaded.images.map(({ uploadPath }) => uploadPath));
    await admin('backup hold --minutes 5', restored);
    await expect(admin(`backup --to ${join(directory, 'second')}`, restored)).rejects.toThrow(': missing');
  },
);
