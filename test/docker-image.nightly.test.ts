import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { envOutside } from './support/install-packages.ts';

/** The steps of the Dockerfile, done in directories of this machine with the packages that are installed here. */
const root = mkdtempSync(join(tmpdir(), 'imagewright-image-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const IGNORED = readFileSync('.dockerignore', 'utf8').trim().split('\n');
const DOCKERFILE = readFileSync('Dockerfile', 'utf8')
  .replace(/^#.*\n/gm, '')
  .replace(/\\\n/g, '');
const STAGES = DOCKERFILE.split(/^FROM /m)
  .slice(1)
  .map((text, index) => ({
    from: /^\S+/.exec(text)?.[0] ?? '',
    name: / AS (\w+)/.exec(text)?.[1] ?? `stage-${index}`,
    steps: text.split('\n').slice(1).filter(Boolean),
  }));

/** The directory that stands for `/app` in a stage. */
const appOf = (stage: string) => join(root, stage);
let image = '';
let env: Record<string, string> = {};
let command: string[] = [];
let healthCheck: string[] = [];

function copy(app: string, words: string[]): void {
  const from = words[0]?.startsWith('--from=') ? appOf(words.shift()?.slice('--from='.length) ?? '') : null;
  const target = words.pop() ?? '';
  for (const source of words) {
    const path = from ? join(from, source.replace(/^\/app\//, '')) : source;
    if (!from) expect(IGNORED).toContain(`!${source.split('/')[0]}`);
    const destination = join(app, target, target.endsWith('/') ? basename(source) : '');
    cpSync(path, destination, {
      recursive: true,
      filter: (file) => from !== null || basename(file) !== 'node_modules',
    });
  }
}

function run(app: string, line: string): void {
  if (line.startsWith('npm ci')) symlinkSync(resolve('node_modules'), join(app, 'node_modules'));
  else if (line !== 'mkdir /data && chown node:node /data')
    execFileSync('sh', ['-ec', line], { cwd: app, env: envOutside(), stdio: ['ignore', 'ignore', 'inherit'] });
}

beforeAll(() => {
  expect(IGNORED[0]).toBe('*');
  for (const { from, name, steps } of STAGES) {
    image = appOf(name);
    mkdirSync(image);
    if (STAGES.some((stage) => stage.name === from)) cpSync(appOf(from), image, { recursive: true });
    for (const step of steps) {
      const [instruction, rest] = [step.slice(0, step.indexOf(' ')), step.slice(step.indexOf(' ') + 1)];
      if (instruction === 'COPY') copy(image, rest.split(' '));
      if (instruction === 'RUN') run(image, rest);
      if (instruction === 'ENV') env = Object.fromEntries(rest.split(' ').map((pair) => pair.split('=')));
      if (instruction === 'CMD') command = JSON.parse(rest);
      if (instruction === 'HEALTHCHECK') healthCheck = JSON.parse(rest.slice(rest.indexOf('CMD ') + 4));
    }
  }
});

it('the image holds a service that is built, healthy, and ends with SIGTERM', async () => {
  expect(env).toMatchObject({ NODE_ENV: 'production', HOST: '0.0.0.0', DATA_DIR: '/data' });
  const data = join(root, 'data');
  const { PATH } = process.env;
  const child = spawn(command[0] ?? '', command.slice(1), {
    cwd: image,
    env: { PATH, ...env, DATA_DIR: data, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let url = '';
  let printed = '';
  for await (const line of createInterface({ input: child.stdout })) {
    printed += `${line}\n`;
    if (line.includes('"msg":"listening"')) ({ url } = JSON.parse(line));
    if (line.includes('account link')) break;
  }
  // Whoever reads the log sits in front of this machine: links and commands that work when pasted.
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(printed).toContain(`${url}/dashboard/claim#token=`);
  for (const path of ['/readyz', '/docs', '/dashboard', '/demo', '/v1/openapi.json']) {
    expect({ path, status: (await fetch(url + path)).status }).toEqual({ path, status: 200 });
  }
  const check = (port: string) =>
    spawnSync(healthCheck[0] ?? '', healthCheck.slice(1), { env: { PATH, PORT: port } }).status;
  expect(check(new URL(url).port)).toBe(0);
  const admin = { cwd: image, env: { PATH, ...env, DATA_DIR: data }, encoding: 'utf8' } as const;
  const accounts = JSON.parse(execFileSync(command[0] ?? '', [...command.slice(1), 'admin', 'account', 'list'], admin));
  expect(accounts).toMatchObject([{ plan: 'agency', balance: 25 }]);
  const help = execFileSync(command[0] ?? '', ['node_modules/imagewright/cli/main.js', '--help'], admin);
  expect(help).toContain('imagewright optimize');
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(check(new URL(url).port)).toBe(1);
});
