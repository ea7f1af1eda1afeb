import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BackupError } from '../../server/backup/backup-directory.ts';
import { restore } from '../../server/backup/index.ts';
import { createFolderStore } from '../../server/storage/object-store.ts';

let directory: string;
let from: string;
let dataDirectory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'imagewright-hostile-'));
  from = join(directory, 'backup');
  dataDirectory = join(directory, 'data');
  for (const name of ['db', 'files/sessions', 'secrets']) await mkdir(join(from, name), { recursive: true });
  await writeFile(join(directory, 'private'), 'of the machine');
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const run = () => restore({ from, dataDirectory, progress: () => {}, filesInBucket: false });
const describeBackup = (facts: unknown) =>
  writeFile(join(from, 'backup.json'), typeof facts === 'string' ? facts : JSON.stringify(facts));
const facts = { format: 1, files: 1, bytes: 5 };

describe('a backup that someone else has made', () => {
  it('brings no link, pipe or device into the data, and nothing of other folders', async () => {
    await describeBackup(facts);
    await writeFile(join(from, 'files/sessions/good.png'), '12345');
    await symlink(join(directory, 'private'), join(from, 'files/sessions/link.png'));
    await symlink('/etc', join(from, 'files/etc'));
    await symlink(join(directory, 'private'), join(from, 'secrets/api-key-pepper'));
    await symlink(directory, join(from, 'db/up'));
    execFileSync('mkfifo', [join(from, 'files/sessions/pipe.png')]);
    await writeFile(join(from, 'outside'), 'x');
    await run();
    const entries = await readdir(dataDirectory, { recursive: true, withFileTypes: true });
    expect(entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name)).toEqual(['good.png']);
    expect(await readFile(join(dataDirectory, 'files/sessions/good.png'), 'utf8')).toBe('12345');
  });

  it.each([
    ['no JSON', '{"format": 1,'],
    ['null', 'null'],
    ['a list', '[]'],
    ['another format', { ...facts, format: 2 }],
    ['no numbers', { format: 1, files: 'many', bytes: null }],
  ])('is refused with %s as its facts, before anything is written', async (_, given) => {
    await describeBackup(given);
    await expect(run()).rejects.toThrow(BackupError);
    expect(existsSync(dataDirectory)).toBe(false);
  });

  it('reads and removes nothing outside of the files by what its database says of them', async () => {
    const store = createFolderStore({ directory: join(directory, 'data/files') });
    for (const key of ['../../private', '../files2/x', '/etc/passwd', '.', '']) {
      await expect(async () => store.open(key)).rejects.toThrow('leaves the store');
      await expect(async () => store.head(key)).rejects.toThrow('leaves the store');
      await expect(async () => store.removeMany([key])).rejects.toThrow('leaves the store');
      await expect(async () => store.removeBelow(key)).rejects.toThrow('leaves the store');
    }
    expect(await readFile(join(directory, 'private'), 'utf8')).toBe('of the machine');
  });
});
