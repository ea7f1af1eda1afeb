import { copyFile, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import ts from 'typescript';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FIXTURES } from '../support/api-client.ts';
import { blockOf } from '../support/documents.ts';
import { sharedService } from '../support/shared-service.ts';
import { createEmptyProject, type EmptyProject, packAll } from './empty-project.ts';

/** Packages without dependencies, which install without a registry. */
const ALONE = ['imagewright-sdk', 'imagewright-host', 'imagewright-element'];

let project: EmptyProject;
beforeAll(async () => {
  const archives = await packAll();
  project = await createEmptyProject();
  await project.install(
    ALONE.map((name) => archives[name] ?? name),
    '--offline',
  );
});
afterAll(() => rm(project.folder, { recursive: true, force: true }));

const PROGRAM = `
import { createClient, type Client } from '@imagewright/sdk';
import { connectHost, type CmsHost } from '@imagewright/host';
import { ImageOptimizer, VERSION, type ImageOptimizerEventMap } from '@imagewright/element';
import '@imagewright/element/define';

const client: Client = createClient({ endpoint: 'https://images.example.com' });
const { sessionId } = await client.createSession({ files: [{ file: new Blob(), name: 'a.jpg' }] });
const { results } = await client.exportImages(sessionId, { images: [{ id: 'x' }], settings: { format: 'avif' } }).result();
const score: number | null | undefined = results[0]?.quality.score;
// @ts-expect-error no such format
client.exportImages(sessionId, { images: [], settings: { format: 'bmp' } });

const element = document.createElement('image-optimizer');
element.autoUpload = false;
// @ts-expect-error not a boolean
element.autoUpload = 'no';
element.addEventListener('io-export', ({ detail }) => detail.results.map(({ imageId }) => imageId.length));
// @ts-expect-error no such detail
element.addEventListener('io-export', ({ detail }) => detail.nothing);
const handler = (event: ImageOptimizerEventMap['io-error']): void => console.log(event.detail);
declare const host: CmsHost;
const connection = await connectHost(element, host);
console.log(await connection.run(['1']), score, VERSION, ImageOptimizer.version, handler);
`;

it.each(['bundler', 'nodenext'] as const)('types SDK, host and element under %s', async (resolution) => {
  await project.compile('program.ts', PROGRAM, resolution);
});

it('has beside the packages the API, the plugin for WordPress, and the bill of what production needs', async () => {
  const read = (name: string) => readFile(join('dist/packages', name));
  expect(await read('imagewright-openapi.json')).toEqual(await readFile('docs/openapi.json'));
  expect((await read('imagewright.zip')).subarray(0, 2).toString()).toBe('PK');
  const bill = JSON.parse((await read('imagewright-sbom.json')).toString()) as { components: { name: string }[] };
  expect(bill).toMatchObject({ bomFormat: 'CycloneDX' });
  const names = bill.components.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['sharp', 'koa', 'mongoose']));
  expect(names).not.toContain('vitest');
});

it.each(['sdk', 'host', 'element', 'engine', 'server', 'unplugin', ''])(
  'ships licence and first page: %s',
  async (name) => {
    const folder = join('dist/packages', name ? `imagewright-${name}` : 'imagewright');
    expect(await readFile(join(folder, 'LICENSE'), 'utf8')).toContain('MIT License');
    expect(await readFile(join(folder, 'README.md'), 'utf8')).toMatch(/^# /);
  },
);

it('has an SDK below 5.35 KB with gzip, with the line of its source map', async () => {
  const folder = join(project.folder, 'node_modules/@imagewright/sdk');
  const scripts = (await readdir(folder)).filter((name) => name.endsWith('.js'));
  expect(scripts).toEqual(['index.js']);
  const script = await readFile(join(folder, 'index.js'));
  expect(gzipSync(script, { level: 9 }).byteLength).toBeLessThan(5350);
  expect(script.toString()).toMatch(/\/\/# sourceMappingURL=index\.js\.map\n?$/);
  expect(JSON.parse(await readFile(join(folder, 'index.js.map'), 'utf8'))).toMatchObject({ version: 3 });
});

it('docs/sdk.md: the first example uploads, exports and downloads in a project of its own', async () => {
  const service = await sharedService();
  const { apiKey } = await service.createAccount({ credits: 5 });
  const code = blockOf('docs/sdk.md', 'import { readFile, writeFile }');
  const script = ts.transpile(code.replace('https://images.example.com', service.url), {
    module: ts.ModuleKind.ESNext,
  });
  await writeFile(join(project.folder, 'example.mjs'), script);
  await copyFile(`${FIXTURES}/photos/photo-brushes.jpg`, join(project.folder, 'bridge.jpg'));
  process.env.IMAGEWRIGHT_API_KEY = apiKey;
  const printed = await project.node('example.mjs').finally(() => delete process.env.IMAGEWRIGHT_API_KEY);
  expect(printed).toMatch(/1 credits spent, \d+ left\n$/);
  const made = (await readdir(project.folder)).filter((name) => name.endsWith('.avif')).sort();
  expect(made).toEqual(['bridge-480w.avif', 'bridge-960w.avif', 'bridge.avif']);
});

it('declares no schema, and takes no types of Lit', async () => {
  const folder = join(project.folder, 'node_modules/@imagewright');
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.d.ts'));
  expect(files.length).toBeGreaterThan(20);
  for (const file of files) expect(await readFile(join(folder, file), 'utf8'), file).not.toMatch(/from ['"](zod|lit)/);
});

it('does nothing on a server', async () => {
  const script = `
    for (const name of ['', '/define', '/react', '/vue']) await import('@imagewright/element' + name);
    console.log(Object.keys(await import('@imagewright/host')).includes('connectHost'), typeof customElements);
  `;
  expect(await project.node('--input-type=module', '-e', script)).toBe('true undefined\n');
});

it('adds connectHost to the global of pages without modules', async () => {
  const script = `
    const code = require('node:fs').readFileSync('node_modules/@imagewright/host/host.iife.js', 'utf8');
    require('node:vm').runInThisContext(code);
    console.log(typeof imagewright.connectHost);
  `;
  expect(await project.node('--input-type=commonjs', '-e', script)).toBe('function\n');
});
