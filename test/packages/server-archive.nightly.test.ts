import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { copyFile, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { createApiClient } from '../support/api-client.ts';
import { blockOf } from '../support/documents.ts';
import { packAll } from './empty-project.ts';

const folder = mkdtempSync(join(tmpdir(), 'imagewright-archive-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

beforeAll(async () => {
  await packAll();
  execFileSync('npm', ['run', '--silent', 'pack:server'], { stdio: 'inherit' });
  const archives = (await readdir('dist/packages')).filter((name) => name.endsWith('.tar.gz'));
  expect(archives).toHaveLength(2);
  for (const name of archives) await copyFile(join('dist/packages', name), join(folder, name));
  const [unpack = ''] = blockOf('docs/production.md', 'tar xzf').split('\n');
  for (const processor of ['x64', 'arm64']) {
    execFileSync('bash', ['-ec', unpack.replaceAll('x64', processor)], { cwd: folder });
  }
});

const folderOf = async (processor: string) =>
  join(folder, (await readdir(folder)).find((name) => name.endsWith(`-linux-${processor}`)) ?? '');

it('the archive for x64 starts with node, is administered as its text says, and exports', async () => {
  const app = await folderOf('x64');
  const env = { PATH: process.env.PATH, NODE_ENV: 'production', PORT: '0', DATA_DIR: join(folder, 'data') };
  const child = spawn(process.execPath, ['server/start.mjs'], { cwd: app, env, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let url = '';
  let command: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.includes('"msg":"listening"')) ({ url } = JSON.parse(line));
    command = /A new link: node (.*)/.exec(line)?.[1]?.split(' ') ?? [];
    if (command.length > 0) break;
  }
  child.stdout.resume();
  for (const path of ['/healthz', '/dashboard', '/demo', '/docs']) {
    expect({ path, status: (await fetch(url + path)).status }).toEqual({ path, status: 200 });
  }
  const administer = (words: string[]) => execFileSync(process.execPath, words, { cwd: app, env, encoding: 'utf8' });
  expect(administer(command)).toContain('/dashboard/claim#token=');
  const create = ['server/start.mjs', 'admin', 'account', 'create', '--email', 'a@example.com'];
  const { apiKey } = JSON.parse(administer(create)) as { apiKey: string };
  const api = createApiClient({ url, apiKey });
  const { last } = await api.run('export', await api.upload(['photos/photo-brushes.jpg']), { format: 'webp' });
  expect(last).toMatchObject({ event: 'complete', data: { summary: { completed: 1, failed: 0 } } });
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
});

it('both archives hold the same service, the packages of their processor, and none that only development needs', async () => {
  for (const [own, other] of [
    ['x64', 'arm64'],
    ['arm64', 'x64'],
  ]) {
    const packages = join(await folderOf(own ?? ''), 'node_modules');
    const native = await readdir(join(packages, '@img'));
    expect(native).toContain(`sharp-linux-${own}`);
    expect(native).not.toContain(`sharp-linux-${other}`);
    expect(await readdir(packages)).not.toEqual(expect.arrayContaining(['vite']));
  }
  const mains = ['x64', 'arm64'].map(async (processor) =>
    readFile(join(await folderOf(processor), 'dist/server/main.js')),
  );
  const [one, other] = await Promise.all(mains);
  expect(one?.equals(other ?? Buffer.alloc(0))).toBe(true);
});
