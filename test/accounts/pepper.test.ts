import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadPepper } from '../../server/accounts/index.ts';

describe('pepper', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'pepper-test-'));
  });
  afterEach(() => rm(directory, { recursive: true }));

  test('is generated once with 32 bytes, readable by the owner only', async () => {
    const first = await loadPepper({ directory });
    expect(first).toHaveLength(32);
    expect(await loadPepper({ directory })).toEqual(first);
    expect((await stat(join(directory, 'secrets'))).mode & 0o777).toBe(0o700);
    expect((await stat(join(directory, 'secrets', 'api-key-pepper'))).mode & 0o777).toBe(0o600);
  });

  test('40 concurrent starts use one pepper and leave no other file', async () => {
    const peppers = await Promise.all(Array.from({ length: 40 }, () => loadPepper({ directory })));
    expect(new Set(peppers.map((pepper) => pepper.toString('hex'))).size).toBe(1);
    expect(await readdir(join(directory, 'secrets'))).toEqual(['api-key-pepper']);
  });

  test('the environment takes precedence and no file is created', async () => {
    const override = 'from the environment, 32 or more!';
    expect(await loadPepper({ directory, override })).toEqual(Buffer.from(override));
    expect(await readdir(directory)).toEqual([]);
  });

  test('a damaged file is an error and is not replaced', async () => {
    await loadPepper({ directory });
    await writeFile(join(directory, 'secrets', 'api-key-pepper'), 'abc');
    await expect(loadPepper({ directory })).rejects.toThrow('expected 64 hexadecimal digits');
  });
});
