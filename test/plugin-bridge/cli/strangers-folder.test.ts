import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, lchown, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { readOptions } from '../../../plugin-bridge/cli/options.ts';
import { plainImage } from '../../support/small-images.ts';

const BIN = fileURLToPath(new URL('../../../plugin-bridge/cli/bin.mjs', import.meta.url));
const KEY = 'iw_secret';
const CONFIG = { patterns: ['src'], out: 'out' };

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'imagewright-stranger-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
});

const write = async (name: string, content: string | Uint8Array) => {
  await mkdir(dirname(join(folder, name)), { recursive: true });
  await writeFile(join(folder, name), content);
};
const optionsOf = (args: string[], env: Record<string, string> = {}, below = '.', ask?: () => Promise<boolean>) =>
  readOptions(['optimize', ...args], { IMAGEWRIGHT_API_KEY: KEY, ...env }, join(folder, below), ask);

/** Runs the program in the folder, as a pipeline does. */
async function run(args: string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [BIN, 'optimize', ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', HOME: folder, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const [exitCode] = await once(child, 'close');
  return { exitCode, output };
}

/** A service of somebody else, which notes the requests that it gets. */
async function startSink() {
  const seen: unknown[] = [];
  const server = createServer((req, res) => {
    seen.push(req.headers);
    res.writeHead(401).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

describe('a key', () => {
  it('does not go to an address that only a file of the folder names', async () => {
    const sink = await startSink();
    await write('src/a.png', (await plainImage('a.png', { width: 20, height: 20, colour: '#123456' })).bytes);
    await write('imagewright.config.json', JSON.stringify({ ...CONFIG, endpoint: sink.url }));
    for (const args of [[], ['--dry-run'], ['--config', 'imagewright.config.json'], ['--api-key', KEY]]) {
      const { exitCode, output } = await run(args, { IMAGEWRIGHT_API_KEY: KEY });
      expect([exitCode, output]).toEqual([2, expect.stringContaining(`IMAGEWRIGHT_ENDPOINT=${sink.url}`)]);
    }
    expect(sink.seen).toEqual([]);
  });

  it('goes there if the person has given the address, too, or agrees', async () => {
    const endpoint = 'https://images.example.com';
    await write('imagewright.config.json', JSON.stringify({ ...CONFIG, endpoint: `${endpoint}/` }));
    const service = { endpoint, apiKey: KEY };
    expect(await optionsOf(['--endpoint', endpoint])).toMatchObject({ service });
    expect(await optionsOf([], { IMAGEWRIGHT_ENDPOINT: endpoint })).toMatchObject({ service });
    expect(await optionsOf([], {}, '.', async () => true)).toMatchObject({ service });
    await expect(optionsOf([], {}, '.', async () => false)).rejects.toThrow('IMAGEWRIGHT_ENDPOINT');
    await expect(optionsOf([], { IMAGEWRIGHT_ENDPOINT: 'https://other.example.com' })).rejects.toThrow(endpoint);
    // Nothing is sent by these.
    expect(await optionsOf(['--check'])).toMatchObject({ check: true });
    await expect(optionsOf([], { IMAGEWRIGHT_API_KEY: '' })).rejects.toThrow('API key');
  });

  it('is out of sight of the code of a configuration file', async () => {
    await write('src/a.png', (await plainImage('a.png', { width: 20, height: 20, colour: '#123456' })).bytes);
    const code = `import { writeFileSync } from 'node:fs';
      writeFileSync('seen.txt', String(process.env.IMAGEWRIGHT_API_KEY));
      export default { patterns: ['src'], out: 'out', local: true };`;
    await write('imagewright.config.mjs', code);
    expect(await run([], { IMAGEWRIGHT_API_KEY: KEY })).toMatchObject({ exitCode: 0 });
    expect(await readFile(join(folder, 'seen.txt'), 'utf8')).toBe('undefined');
  });
});

describe('the search for a configuration file', () => {
  it.each([
    ['.git', 'project/.git/HEAD', 'project/packages/a/package.json'],
    ['package.json', 'project/package.json', 'project/packages/a/readme.md'],
  ])('ends at %s: nothing above is read or run', async (_, mark, other) => {
    const code = `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(join(folder, 'ran'))}, '');
      export default {};`;
    await write('imagewright.config.mjs', code);
    await write('imagewright.config.json', 'no JSON');
    for (const name of [mark, other]) await write(name, '{}');
    const args = ['x', '--out', 'out', '--local'];
    expect(await optionsOf(args, {}, 'project/packages/a')).toMatchObject({ settings: { format: 'webp' } });
    expect(existsSync(join(folder, 'ran'))).toBe(false);
    // What belongs to the project is read from all of its folders.
    await write('project/imagewright.config.json', JSON.stringify({ ...CONFIG, format: 'avif' }));
    const settings = { format: 'avif' };
    expect(await optionsOf(args, {}, 'project/packages/a')).toMatchObject({ settings });
    expect(await optionsOf(args, {}, 'project')).toMatchObject({ settings });
  });

  it('stays in the folder where there is no project', async () => {
    await write('imagewright.config.json', 'no JSON');
    await mkdir(join(folder, 'below'));
    expect(await optionsOf(['x', '--out', 'out', '--local'], {}, 'below')).toMatchObject({ service: null });
    await expect(optionsOf(['x', '--out', 'out', '--local'])).rejects.toThrow('imagewright.config.json');
  });

  it.skipIf(process.getuid?.() !== 0)(
    'refuses files and links of another user, unless --config names them',
    async () => {
      const path = join(folder, 'imagewright.config.json');
      await write('imagewright.config.json', JSON.stringify({ ...CONFIG, local: true }));
      expect(await optionsOf([])).toMatchObject({ service: null });
      await chown(path, 12_345, 12_345);
      await expect(optionsOf([])).rejects.toMatchObject({ exitCode: 2, message: expect.stringContaining('--config') });
      expect(await optionsOf(['--config', path])).toMatchObject({ service: null });
      await rm(path);
      await write('own/other.json', JSON.stringify({ ...CONFIG, local: true }));
      await symlink(join(folder, 'own/other.json'), path);
      expect(await optionsOf([])).toMatchObject({ service: null });
      await lchown(path, 12_345, 12_345);
      await expect(optionsOf([])).rejects.toThrow('another user (12345)');
    },
  );
});

describe('names of files', () => {
  it('after -- are no options', async () => {
    const options = await optionsOf(['--out', 'out', '--local', '--', '--endpoint=http://sink', '--help']);
    expect(options).toMatchObject({ patterns: ['--endpoint=http://sink', '--help'], service: null });
    const { exitCode, output } = await run(['--out', 'out', '--local', '--', '--help']);
    expect([exitCode, output]).toEqual([2, '--help: no such file or folder\n']);
  });

  it('and messages never reach a terminal or a log with their control characters, nor as commands of a log', async () => {
    const names = [
      'b\n::stop-commands::zz\n::add-mask::a.jpg',
      'c\u001b[2J\u009b31m##[error]\u202e.jpg',
      '::warning::d.jpg',
    ];
    for (const name of names) await write(`src/${name}`, 'no image');
    const args = ['src', '--local', '--out', 'out'];
    for (const more of [[], ['--json'], ['--check'], ['--prune']]) {
      const { output } = await run([...args, ...more]);
      expect(output).toMatch(/stop-commands|warning/);
      expect(output).not.toMatch(/^\s*::/m);
      expect(output).not.toContain('##[');
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
      expect(output).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    }
    const { output } = await run([...args, '--json']);
    const sources = JSON.parse(output.slice(output.indexOf('{\n'))).images.map(
      ({ source }: { source: string }) => source,
    );
    expect(sources.sort()).toEqual([...names].sort());
  });
});
