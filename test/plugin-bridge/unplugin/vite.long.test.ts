import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import sharp from 'sharp';
import { build, createServer, type InlineConfig } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ImageResult } from '#contract';
import { createClient } from '../../../plugin-bridge/sdk/index.ts';
import { type OptimizedImage, type Options, vite } from '../../../plugin-bridge/unplugin/index.ts';
import { FIXTURES } from '../../support/api-client.ts';
import { startTestService, type TestService } from '../../support/service.ts';

const NAME = 'my beach.jpg';
const IMPORT = `import image from '@/img/${NAME}?imagewright&widths=80;160;900&formats=avif;webp';`;

let folder: string;
let service: TestService;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'imagewright-vite-'));
  const photo = sharp(join(FIXTURES, 'photos', 'photo-brushes.jpg'))
    .resize(240)
    .jpeg({ quality: 95 });
  await mkdir(join(folder, 'img'));
  await writeFile(join(folder, 'img', NAME), await photo.toBuffer());
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await writeFile(join(folder, 'main.js'), `${IMPORT}\ndocument.title = JSON.stringify(image);\n`);
  await writeFile(
    join(folder, 'server.js'),
    `export { default } from '@/img/${NAME}?imagewright&widths=80;160;900';\n`,
  );
  await writeFile(join(folder, 'index.html'), '<script type="module" src="./main.js"></script>');
  service = await startTestService({ QUALITY_SEARCH: 'on' });
});
afterAll(async () => {
  await service?.close();
  await rm(folder, { recursive: true, force: true });
});

const configOf = (options: Options = {}): InlineConfig => ({
  ...{ root: folder, configFile: false, logLevel: 'silent', base: '/site/' },
  resolve: { alias: { '@': folder } },
  plugins: [vite({ workers: 1, ...options })],
});

/** Builds the page. Returns the names of the images in it, with their hashes. */
async function buildPage(options?: Options): Promise<Map<string, string>> {
  await build(configOf(options));
  const assets = join(folder, 'dist/assets');
  const names = (await readdir(assets)).filter((name) => !name.endsWith('.js'));
  return new Map(
    await Promise.all(names.map(async (name) => [name, hashOf(await readFile(join(assets, name)))] as const)),
  );
}

/** Builds the same import for a server, and returns what it gives. */
async function buildForServer(options?: Options): Promise<OptimizedImage> {
  await build({ ...configOf(options), build: { ssr: 'server.js', outDir: 'server' } });
  return (await import(`${pathToFileURL(join(folder, 'server/server.js'))}?${Math.random()}`)).default;
}

const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** Exports the same image by the service; returns the hashes of its files, and their lowest score. */
async function exported(): Promise<{ hashes: string[]; score: number }> {
  const { apiKey } = await service.createAccount();
  const client = createClient({ endpoint: service.url, apiKey });
  const file = new Blob([await readFile(join(folder, 'img', NAME))]);
  const { sessionId, images } = await client.createSession({ files: [{ file, name: NAME }] });
  const settings = { formats: ['avif', 'webp'], responsive: true, responsiveSizes: [80, 160] } as const;
  const job = client.exportImages(sessionId, {
    images: [{ id: images[0]?.id ?? '' }],
    settings: { ...settings, formats: [...settings.formats] },
  });
  const { results } = (await job.result()) as { results: ImageResult[] };
  const variants = results[0]?.variants ?? [];
  const scores = variants.map(({ quality }) => quality?.score ?? Number.NaN);
  return { hashes: variants.map(({ sha256 }) => sha256).sort(), score: Math.min(...scores) };
}

describe('an import with ?imagewright in a build by Vite', () => {
  it('emits the files that the service makes, and gives their addresses', async () => {
    const made = await buildPage();
    expect(made.size).toBe(6);
    const { hashes, score } = await exported();
    expect([...made.values()].sort()).toEqual(hashes);
    const image = await buildForServer();
    const [address] = image.src.split(/(?=my-beach)/);
    expect(address).toBe('/site/assets/');
    const setOf = (extension: string) =>
      new RegExp(
        `^${['', '-160w', '-80w'].map((end, at) => `/site/assets/my-beach${end}-[\\w-]+\\.${extension} ${[240, 160, 80][at]}w`).join(', ')}$`,
      );
    expect(image).toEqual({
      src: expect.stringMatching(/^\/site\/assets\/my-beach-[\w-]+\.webp$/),
      ...{ width: 240, height: expect.any(Number), srcset: expect.stringMatching(setOf('webp')) },
      sources: [{ type: 'image/avif', srcset: expect.stringMatching(setOf('avif')) }],
      placeholder: expect.stringMatching(/^[A-Za-z0-9+/=]{20,}$/),
      score,
    });
    // The addresses of the server are those of the files.
    const named = [image.srcset, ...image.sources.map(({ srcset }) => srcset)].flatMap((set) => set.split(', '));
    expect(named.map((one) => one.split(' ')[0]?.slice('/site/assets/'.length)).sort()).toEqual(
      [...made.keys()].sort(),
    );
  });

  it('needs no engine for what an earlier build has made', async () => {
    const first = await buildPage();
    // The engine would refuse to start.
    expect(await buildPage({ workers: 0 })).toEqual(first);
    await expect(buildPage({ workers: 0, preset: 'low' })).rejects.toThrow(/my beach\.jpg\?imagewright.*workers/);
  });

  it('makes an image again that is no longer whole in the cache', async () => {
    const first = await buildPage();
    const cache = join(folder, 'cache');
    await buildPage({ cache });
    const [key = ''] = await readdir(cache);
    await rm(join(cache, key, 'my-beach-160w.avif'));
    expect(await buildPage({ cache })).toEqual(first);
  });

  it('names the import whose image cannot be read', async () => {
    await writeFile(join(folder, 'broken.jpg'), 'no image');
    await writeFile(join(folder, 'broken.js'), "export { default } from './broken.jpg?imagewright';\n");
    const config = { ...configOf(), build: { ssr: 'broken.js', outDir: 'broken' } };
    await expect(build(config)).rejects.toThrow(/broken\.jpg\?imagewright: .*(format|image)/);
  });
});

it('gives the original at once while a server of Vite runs', async () => {
  const server = await createServer({ ...configOf(), server: { middlewareMode: true, ws: false } });
  try {
    const { default: image } = (await server.ssrLoadModule('/server.js')) as { default: OptimizedImage };
    const fields = { srcset: '', sources: [], placeholder: null, score: null };
    expect(image).toEqual({
      src: expect.stringMatching(/^\/site\/img\/my%20beach\.jpg/),
      width: 240,
      height: expect.any(Number),
      ...fields,
    });
  } finally {
    await server.close();
  }
});

describe('a server of Vite', () => {
  let outside: string;
  beforeAll(async () => {
    outside = await mkdtemp(join(tmpdir(), 'imagewright-outside-'));
    await writeFile(join(outside, 'private.jpg'), await readFile(join(folder, 'img', NAME)));
  });
  afterAll(() => rm(outside, { recursive: true, force: true }));

  /** Starts a server and asks it for addresses as a browser does. The path is sent as it is, with its dots. */
  async function ask(options: Options, paths: string[]): Promise<{ status: number; body: string }[]> {
    const server = await createServer({ ...configOf(options), base: '/', server: { port: 0, host: '127.0.0.1' } });
    try {
      await server.listen();
      const { port } = (server.httpServer?.address() as AddressInfo | undefined) ?? { port: 0 };
      const answers: { status: number; body: string }[] = [];
      for (const path of paths) answers.push(await get(port, path));
      return answers;
    } finally {
      await server.close();
    }
  }

  it.each([{}, { development: false }])(
    'gives no image from outside of its folders to a browser: %j',
    async (options) => {
      const file = `${outside}/private.jpg`;
      const around = `${folder}/../${outside.slice(tmpdir().length + 1)}/private.jpg`;
      const queries = ['import&imagewright', 'imagewright&import', 'import&imagewright&widths=16&formats=jpeg'];
      const paths = [file, around, `${outside}/nothing.jpg`].flatMap((path) =>
        queries.map((query) => `/@fs${path}?${query}`),
      );
      const answers = await ask(options, [...paths, `/@fs${file}?no-inline`]);
      for (const { status, body } of answers) {
        expect(status).toBeGreaterThanOrEqual(403);
        // Nor whether it exists, nor its size.
        expect(body).not.toMatch(/ENOENT|no such file|width:/);
      }
    },
  );

  it('gives an image of its folders, and one that a module of the project imports from elsewhere', async () => {
    await writeFile(
      join(folder, 'elsewhere.js'),
      `import image from '${outside}/private.jpg?imagewright'; export default image;`,
    );
    const [inside, module, imported] = await ask({}, [
      `/img/${encodeURIComponent(NAME)}?import&imagewright`,
      '/elsewhere.js',
      `/@fs${outside}/private.jpg?import&imagewright`,
    ]);
    expect(inside).toMatchObject({ status: 200, body: expect.stringContaining('width: 240') });
    expect(module?.status).toBe(200);
    expect(imported).toMatchObject({ status: 200, body: expect.stringContaining('width: 240') });
  });
});

function get(port: number, path: string): Promise<{ status: number; body: string }> {
  return new Promise((done, fail) => {
    const asked = request({ host: '127.0.0.1', port, path }, async (answer) => {
      let body = '';
      for await (const chunk of answer) body += chunk;
      done({ status: answer.statusCode ?? 0, body });
    });
    asked.on('error', fail).end();
  });
}
