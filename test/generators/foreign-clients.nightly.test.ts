import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SharedService, sharedService } from '../support/shared-service.ts';
import { noiseImage } from '../support/small-images.ts';
import { pythonPrograms } from './python-programs.ts';

const DOCUMENT = fileURLToPath(new URL('../../docs/openapi.json', import.meta.url));
const PROGRAMS = fileURLToPath(new URL('./foreign/', import.meta.url));
const OAPI_CODEGEN = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2';

/** Runs a program. @throws Error with what it printed */
async function run(program: string, args: string[], cwd: string, env: Record<string, string> = {}): Promise<string> {
  const options = { cwd, env: { ...process.env, ...env }, maxBuffer: 1 << 26 };
  const { stdout } = await promisify(execFile)(program, args, options).catch((error) => {
    throw new Error(`${program} ${args[0]}: ${error.stdout}\n${error.stderr ?? error}`);
  });
  return stdout;
}

const hasGo = await run('go', ['version'], PROGRAMS).then(
  () => true,
  () => false,
);
const python = await pythonPrograms(['openapi-python-client==0.29.1']);
if (!hasGo) console.warn('\nSKIPPED: no client in Go is generated, since there is no `go`\n');
if (!python) console.warn('\nSKIPPED: no client in Python is generated, since there is no `python3` with `venv`\n');

let test: SharedService;
let folder: string;
beforeAll(async () => {
  test = await sharedService();
  folder = await mkdtemp(join(tmpdir(), 'imagewright-clients-'));
  const { bytes } = await noiseImage('picture.png', { width: 120, height: 80 });
  await writeFile(join(folder, 'picture.png'), bytes);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function tour(program: string, args: string[], cwd: string): Promise<void> {
  const { api } = await test.createAccount();
  const printed = await run(program, args, cwd, {
    IMAGEWRIGHT_URL: test.url,
    IMAGEWRIGHT_KEY: api.apiKey ?? '',
    IMAGEWRIGHT_IMAGE_FILE: join(folder, 'picture.png'),
  });
  const { statuses, format, balance } = JSON.parse(printed);
  expect(statuses.filter((status: string) => status === 'completed').length).toBeGreaterThanOrEqual(4);
  expect([format, balance]).toEqual(['WEBP', 24]);
}

describe('a generated client does the tour of the README', () => {
  it.skipIf(!hasGo)('in Go, by oapi-codegen, and passes `go vet`', async () => {
    const cwd = join(folder, 'go');
    await mkdir(join(cwd, 'iw'), { recursive: true });
    const generator = process.env.IMAGEWRIGHT_TEST_OAPI_CODEGEN ?? join(folder, 'bin', 'oapi-codegen');
    if (!process.env.IMAGEWRIGHT_TEST_OAPI_CODEGEN)
      await run('go', ['install', OAPI_CODEGEN], cwd, { GOBIN: join(folder, 'bin') });
    const output = join(cwd, 'iw', 'iw.go');
    await run(generator, ['-generate', 'types,client', '-package', 'iw', '-o', output, DOCUMENT], cwd);
    await copyFile(join(PROGRAMS, 'tour.go.txt'), join(cwd, 'main.go'));
    await run('go', ['mod', 'init', 'imagewright.example/tour'], cwd);
    await run('go', ['mod', 'tidy'], cwd);
    await run('go', ['vet', './...'], cwd);
    await tour('go', ['run', '.'], cwd);
  });

  it.skipIf(!python)('in Python, by openapi-python-client', async () => {
    const cwd = join(folder, 'python');
    await mkdir(cwd);
    // Other media types of files are bytes to the generator by this setting alone.
    const types = ['jpeg', 'png', 'webp', 'avif', 'gif', 'tiff'].map(
      (type) => `  image/${type}: application/octet-stream`,
    );
    const config = ['post_hooks: []', 'content_type_overrides:', ...types, '  application/x-ndjson: text/plain', ''];
    await writeFile(join(cwd, 'config.yaml'), config.join('\n'));
    const generate = ['generate', '--path', DOCUMENT, '--output-path', 'client', '--config', 'config.yaml'];
    await run(join(python ?? '', 'openapi-python-client'), [...generate, '--fail-on-warning'], cwd);
    await copyFile(join(PROGRAMS, 'tour.py'), join(cwd, 'client', 'tour.py'));
    await tour(join(python ?? '', 'python'), ['tour.py'], join(cwd, 'client'));
  });
});
