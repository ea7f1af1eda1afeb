import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';

it.skipIf(process.platform === 'win32')('a command closes a data directory that other users could read', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'imagewright-modes-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  for (const name of ['db', 'secrets', 'files']) await mkdir(join(directory, name));
  const pepper = join(directory, 'secrets/api-key-pepper');
  await writeFile(pepper, `${'0'.repeat(64)}\n`);
  await chmod(pepper, 0o644);
  for (const name of ['.', 'db', 'secrets', 'files']) await chmod(join(directory, name), 0o755);

  const env = { ...process.env, DATA_DIR: directory, MONGODB_URI: '' };
  await promisify(execFile)(process.execPath, ['--import', 'tsx', 'server/admin/main.ts', 'account', 'list'], { env });
  const modes = ['.', 'db', 'secrets', 'files', 'db/data.mdb', 'secrets/api-key-pepper'].map(async (name) =>
    ((await stat(join(directory, name))).mode & 0o777).toString(8),
  );
  expect(await Promise.all(modes)).toEqual(['700', '700', '700', '700', '600', '600']);
});
