// Every command and option of the packed programs, in a project outside of the repository.
import { execFile } from 'node:child_process';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Report } from '../../plugin-bridge/cli/report.ts';
import { blockOf } from '../support/documents.ts';
import { envOutside } from '../support/install-packages.ts';
import { sharedService } from '../support/shared-service.ts';
import { createEmptyProject, type EmptyProject, packAll } from './empty-project.ts';

interface Ended {
  exitCode: number;
  stdout: string;
  stderr: string;
}

let project: EmptyProject;
let version: string;
/** Address and key of a service. */
const service: Record<string, string> = {};
beforeAll(async () => {
  const archives = await packAll();
  project = await createEmptyProject();
  const wanted = ['imagewright', 'imagewright-engine', 'imagewright-server'];
  await project.install(
    wanted.map((name) => archives[name] ?? name),
    '--prefer-offline',
  );
  ({ version } = JSON.parse(await readFile('package.json', 'utf8')));
  const picture = sharp({ create: { width: 64, height: 48, channels: 3, background: '#a33' } });
  await picture.png().toFile(join(project.folder, 'red-bicycle.png'));
  const shared = await sharedService();
  const { apiKey } = await shared.createAccount({ credits: 100 });
  Object.assign(service, { IMAGEWRIGHT_ENDPOINT: shared.url, IMAGEWRIGHT_API_KEY: apiKey });
});
afterAll(() => rm(project.folder, { recursive: true, force: true }));

/** Runs an installed program. */
async function run(program: string, words: string[], env: Record<string, string> = {}): Promise<Ended> {
  const options = { cwd: project.folder, env: { ...envOutside(), ...env } };
  return promisify(execFile)(join(project.folder, 'node_modules/.bin', program), words, options).then(
    (printed) => ({ exitCode: 0, ...printed }),
    ({ code, stdout, stderr }) => ({ exitCode: code, stdout, stderr }),
  );
}

/** Lists the words of a help text that look so. */
const wordsOf = (text: string, pattern: RegExp): string[] => [...new Set(text.match(pattern))].sort();

describe('imagewright', () => {
  const local = ['optimize', 'red-bicycle.png', '--local'];
  const remote = ['optimize', 'red-bicycle.png', '--force'];
  /** Options by the way in which they are used; each run writes into a folder of its own. */
  const RUNS: Record<string, string[]> = {
    'two formats, quality, names': [
      ...local,
      ...['--format', 'webp,png', '--preset', 'low', '--exact', '--only-smaller', '--hashed-names'],
      ...['--keep-extension', '--placeholder', '--markup', 'made/markup.json', '--base-url', '/images/'],
    ],
    'sizes, from a configuration': [
      ...local,
      ...['--responsive', '--sizes', '16,32', '--max-width', '48', '--concurrency', '1', '--config', 'own.json'],
    ],
    'a record': [...local, '--record', 'record.json', '--overwrite'],
    'a second run': [...local, '--prune', '--dry-run'],
    'a service': [...remote, '--analyze', '--language', 'de', '--embed-metadata', '--format', 'jpeg'],
  };

  it('prints its version and its help', async () => {
    expect(await run('imagewright', ['--version'])).toEqual({ exitCode: 0, stdout: `${version}\n`, stderr: '' });
    for (const option of ['--help', '-h'])
      expect(await run('imagewright', [option])).toMatchObject({ exitCode: 0, stderr: '' });
    expect((await run('imagewright', [])).exitCode).toBe(2);
  });

  it.each(Object.entries(RUNS))('makes files: %s', async (name, words) => {
    await writeFile(join(project.folder, 'own.json'), JSON.stringify({ preset: 'medium' }));
    const folder = join('made', name.replaceAll(/\W/g, '-'));
    const { exitCode, stdout, stderr } = await run('imagewright', [...words, '-o', folder, '--json'], service);
    expect({ exitCode, stderr: stderr.includes(' at ') ? stderr : '' }).toEqual({ exitCode: 0, stderr: '' });
    const report = JSON.parse(stdout) as Report;
    expect(report.summary.failed).toBe(0);
    const made = await readdir(join(project.folder, folder)).catch(() => []);
    expect(made.length > 0).toBe(!words.includes('--dry-run'));
  });

  it('checks, with the address and the key as options', async () => {
    const { IMAGEWRIGHT_ENDPOINT = '', IMAGEWRIGHT_API_KEY = '' } = service;
    const order = ['optimize', 'red-bicycle.png', '--out', 'checked', '--check'];
    const access = ['--endpoint', IMAGEWRIGHT_ENDPOINT, '--api-key', IMAGEWRIGHT_API_KEY];
    const { exitCode, stderr } = await run('imagewright', [...order, ...access]);
    expect({ exitCode, hasStack: stderr.includes(' at ') }).toEqual({ exitCode: 1, hasStack: false });
  });

  it('is run with every option that its help names', async () => {
    const { stdout } = await run('imagewright', ['--help']);
    const source = await readFile('test/packages/every-command.long.test.ts', 'utf8');
    const used = new Set(source.match(/(?<=')--[a-z-]+/g));
    expect(wordsOf(stdout, /--[a-z][a-z-]+/g).filter((option) => !used.has(option))).toEqual([]);
  });
});

it('imagewright-server prints its version and its help, and starts no service for a word that it does not know', async () => {
  const server = (word: string) => run('imagewright-server', [word]);
  expect(await server('--version')).toEqual({ exitCode: 0, stdout: `${version}\n`, stderr: '' });
  for (const option of ['--help', '-h'])
    expect(await server(option)).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('admin COMMAND') });
  expect(await server('amdin')).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('received "amdin"') });
});

describe('imagewright-server admin', () => {
  const email = ['--email', 'a@example.com'];
  let key = '';
  /** Commands in an order in which each succeeds. `KEY` is the key that was made. */
  const COMMANDS: string[][] = [
    // First, since nothing is there yet at which it could find faults.
    ['account create', ...email, '--credits', '5'],
    ['account list'],
    ['account plan', ...email, '--plan', 'agency'],
    ['account role', ...email, '--role', 'operator'],
    ['account link', ...email],
    ['account logout', ...email],
    ['account suspend', ...email],
    ['account resume', ...email],
    ['key create', ...email, '--name', 'site'],
    ['key list', ...email],
    ['key deactivate', '--id', 'KEY'],
    ['key activate', '--id', 'KEY'],
    ['credits grant', ...email, '--amount', '3', '--note', 'thanks'],
    ['credits audit'],
    ['pepper accept'],
    ['audit list', '--limit', '2'],
    ['audit export', '--format', 'csv'],
    ['backup', '--to', 'backup'],
    ['restore', '--from', 'backup'],
    ['files accept'],
    ['backup hold', '--minutes', '1'],
    ['backup release'],
    ['check', '--json'],
  ];

  it.each(COMMANDS)('runs %s', async (name, ...options) => {
    const folder = name === 'restore' ? 'restored' : 'data';
    const words = ['admin', ...name.split(' '), ...options.map((word) => word.replace('KEY', key))];
    const env = { DATA_DIR: join(project.folder, folder) };
    const { exitCode, stdout, stderr } = await run('imagewright-server', words, env);
    // A check ends with 1 where something is wrong with the installation.
    const wanted = name === 'check' && !(JSON.parse(stdout) as { ok: boolean }).ok ? 1 : 0;
    expect({ exitCode, stderr: exitCode === wanted ? '' : stderr }).toEqual({ exitCode: wanted, stderr: '' });
    if (name === 'key create') key = (JSON.parse(stdout) as { keyId: string }).keyId;
  });

  it('runs every command that its help names', async () => {
    const { stdout } = await run('imagewright-server', ['admin', '--help']);
    const named = wordsOf(stdout, /(?<=^ {2})[a-z]+(?: [a-z]+)?/gm);
    expect(named).toEqual(COMMANDS.map(([name]) => name).sort());
  });
});

it('npm run release -- --dry-run does all but the sending, and lists what is still to be set', async () => {
  const command = `${blockOf('docs/releasing.md', 'npm run release').trim()} --without-archives`;
  const { stdout } = await promisify(execFile)('bash', ['-c', command]);
  const { repository } = JSON.parse(await readFile('package.json', 'utf8')) as { repository?: object };
  expect(stdout).toMatch(repository ? /^Ready to publish\.$/m : /^Not ready\. Still to be set:\n {2}\* repository: /m);
  const sums = await readFile('dist/packages/SHA256SUMS', 'utf8');
  expect(sums.match(/-[\d.]+\.tgz$/gm)).toHaveLength(7);
});
