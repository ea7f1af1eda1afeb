// Tries the OpenAPI document on a service with schemathesis (`npm run test:schemathesis -- --minutes 15`), as four callers.
//
// What it tells and is meant to be so:
// * ST108: it holds the fields of an event of a stream (`id`, `event`, `data` as text) against the schema of the data (`x-events`).
// * ST201 at `/account`: it leaves out the cookie as a parameter, while the header of the caller is still sent.
// * ST202: it uses an `Idempotency-Key` for several bodies (422), sends text as a file (415), and cursors, links and settings that have the
//   right form and never existed (400).
// * ST401 and ST203 at `/shared`: a request without the token of a link is 404, as one with an unknown token.
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { pythonPrograms } from '../generators/python-programs.ts';
import { createPerson } from '../support/browser-client.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { plainImage } from '../support/small-images.ts';

const DOCUMENT = fileURLToPath(new URL('../../docs/openapi.json', import.meta.url));
const HERE = fileURLToPath(new URL('./', import.meta.url));
const ORIGIN = 'https://www.example.com';

/** A caller: its headers, and the paths that it tries. */
interface Role {
  name: string;
  headers: Record<string, string>;
  paths: string;
}

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '15' } } });
const bin = await pythonPrograms(['schemathesis==4.32.5']);
if (!bin) console.warn('\nSKIPPED: the OpenAPI document is not tried, since there is no `python3` with `venv`\n');
else process.exitCode = await tryDocument(bin, Number(values.minutes));

/** Runs schemathesis for each role, a part of the time each. Returns 1 if one of them found anything. */
async function tryDocument(programs: string, minutes: number): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'imagewright-schemathesis-'));
  const test = await startTestService();
  try {
    const image = await plainImage('one.png');
    const file = join(folder, 'one.png');
    await writeFile(file, image.bytes);
    const uploaded = await test.api.upload([image]);
    const { jobId } = await test.api.run('export', uploaded);
    const { sessionId, images } = uploaded;
    const known = JSON.stringify({ sessionId, imageId: images[0]?.id, jobId, filename: 'one.webp' });
    const roles = await rolesOf(test, sessionId);
    const env = { ...process.env, IMAGEWRIGHT_KNOWN: known, IMAGEWRIGHT_IMAGE_FILE: file, PYTHONPATH: HERE };
    const seconds = Math.round((minutes * 60) / roles.length);
    let failed = 0;
    for (const role of roles) {
      console.log(`\n=== ${role.name}: ${seconds} s`);
      const code = await run(join(programs, 'schemathesis'), argumentsOf(role, test.url, seconds), {
        cwd: folder,
        env,
      });
      failed = Math.max(failed, code === 0 ? 0 : 1);
    }
    return failed;
  } finally {
    await test.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function argumentsOf({ headers, paths }: Role, url: string, seconds: number): string[] {
  const sent = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const left = ['--exclude-method', 'DELETE', '--exclude-path-regex', 'log-out|delete|password|cancel'];
  const plain = [
    '--max-time',
    String(seconds),
    '--no-color',
    '--continue-on-failure',
    '--generation-database',
    'none',
    '--suppress-health-check',
    'all',
  ];
  return ['run', DOCUMENT, '--url', url, '--checks', 'all', '--include-path-regex', paths, ...left, ...sent, ...plain];
}

/** Returns the roles: a key, a session token, the log-in of an operator, and a visitor of a link. */
async function rolesOf(test: TestService, sessionId: string): Promise<Role[]> {
  const { api, url } = test;
  const json = { origin: ORIGIN, sessionId, maxCredits: 100 };
  const { token } = await api.readJson<{ token: string }>('/v1/tokens', { json });
  const link = await api.readJson<{ url: string }>(`/v1/sessions/${sessionId}/shares`, { json: {} });
  const { browser } = await createPerson(test, { operator: true });
  const cookie = { Cookie: `__Host-imagewright=${browser.cookie}`, Origin: url, 'Sec-Fetch-Site': 'same-origin' };
  return [
    { name: 'a key', headers: { 'X-API-Key': api.apiKey ?? '' }, paths: '^/v1/' },
    { name: 'a session token', headers: { 'X-API-Key': token, Origin: ORIGIN }, paths: '^/v1/sessions/' },
    { name: 'an operator', headers: cookie, paths: '^/account/' },
    { name: 'a visitor of a link', headers: { 'X-Share-Token': link.url.split('#')[1] ?? '' }, paths: '^/shared/' },
  ];
}

function run(program: string, args: string[], { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv }): Promise<number> {
  const child = spawn(program, args, { cwd, env: { ...env, SCHEMATHESIS_HOOKS: 'hooks' }, stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}
