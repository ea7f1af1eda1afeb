import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { useDatabase } from './db/embedded/embedded-fixture.ts';
import { freePort, lateStore } from './db/late-store.ts';
import { STANDALONE, sayHello } from './db/say-hello.ts';

const MAIN = fileURLToPath(new URL('../dist/server/main.js', import.meta.url));
const store = useDatabase();

/** Starts the built service on a fresh folder; it may never listen. */
async function start(env: Record<string, string>) {
  const DATA_DIR = mkdtempSync(join(tmpdir(), 'imagewright-before-'));
  const port = await freePort();
  const child = spawn(process.execPath, [MAIN], {
    env: { PATH: process.env.PATH, DATA_DIR, PORT: String(port), LOG_FORMAT: 'json', QUALITY_SEARCH: 'off', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
    rmSync(DATA_DIR, { recursive: true, force: true });
  });
  const said = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    said.stdout += chunk;
  });
  child.stderr.on('data', (chunk: Buffer) => {
    said.stderr += chunk;
  });
  return { url: `http://127.0.0.1:${port}`, exited, said };
}

const statusOf = (url: string) =>
  fetch(url).then(
    async (response) => {
      await response.arrayBuffer();
      return response.status;
    },
    () => 0,
  );

it('the service listens before its database is there: alive, not ready, and told once', async () => {
  const { uri, appear } = await lateStore(store.uri);
  const { url, said } = await start({ MONGODB_URI: uri });
  await expect.poll(() => statusOf(`${url}/healthz`)).toBe(200);
  await expect.poll(() => said.stdout).toContain('the start waits up to 300 s');
  const ready = await fetch(`${url}/readyz`);
  expect([ready.status, ready.headers.get('Retry-After'), await ready.json()]).toEqual([
    503,
    '5',
    { status: 'unavailable', reason: 'the service starts and does not have its database yet' },
  ]);
  const balance = await fetch(`${url}/v1/credits/balance`, { headers: { 'X-API-Key': 'iw_x' } });
  expect([balance.status, balance.headers.get('Retry-After')]).toEqual([503, '5']);
  expect(await balance.json()).toMatchObject({ code: 'database_unavailable', requestId: expect.any(String) });
  expect(await statusOf(`${url}/healthz`)).toBe(200);

  await appear();
  await expect.poll(() => statusOf(`${url}/readyz`)).toBe(200);
  expect(await statusOf(`${url}/v1/openapi.json`)).toBe(200);
  const told = said.stdout.split('\n').filter((line) => /MONGODB_URI: |the database is there now/.test(line));
  expect(told.map((line) => JSON.parse(line).msg)).toEqual([
    expect.stringMatching(/^MONGODB_URI: no database responds there .*ECONNREFUSED.*; the start waits up to 300 s$/),
    'the database is there now',
  ]);
  expect(said.stderr).toBe('');
});

it.each([
  [
    'a refused log-in',
    'user:secret@',
    '',
    /^MONGODB_URI: .*\(Authentication failed\.\); mend user, password or authSource.*\n$/,
  ],
  ['a set of another name', '', '?replicaSet=rs1', /^MONGODB_URI: .*the replica set rs1; .*; remove replicaSet.*\n$/],
  ['TLS that the server does not speak', '', '?tls=true', /^MONGODB_URI: .*does not speak TLS\); set tls=false.*\n$/],
])('%s ends the start at once, in one line', async (_what, user, options, line) => {
  const port = await sayHello((command) =>
    'hello' in command || 'ismaster' in command
      ? STANDALONE
      : { ok: 0, code: 18, codeName: 'AuthenticationFailed', errmsg: 'Authentication failed.' },
  );
  const { exited, said } = await start({ MONGODB_URI: `mongodb://${user}127.0.0.1:${port}/x${options}` });
  expect((await exited)[0]).toBe(1);
  expect(said.stderr).toMatch(line);
  expect(said.stderr.trimEnd().split('\n')).toHaveLength(1);
  expect(said.stdout).toBe('');
});
