import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import type { Report } from '../../plugin-bridge/cli/report.ts';
import { FIXTURES } from '../support/api-client.ts';
import { envOutside } from '../support/install-packages.ts';
import { createEmptyProject, type EmptyProject, packAll } from './empty-project.ts';

/** Packages from the registry that the test installs beside ours: React and Vue, and the checkers publint and attw. */
const OTHERS = [
  ...['react@19', 'react-dom@19', '@types/react@19', '@types/node@20', 'vue@3'],
  ...['publint@0.3', '@arethetypeswrong/cli@0.18'],
];

let project: EmptyProject;
let archives: Record<string, string>;
beforeAll(async () => {
  archives = await packAll();
  project = await createEmptyProject();
  await project.install([...Object.values(archives), ...OTHERS]);
});
afterAll(() => rm(project.folder, { recursive: true, force: true }));

const bin = (name: string) => join(project.folder, 'node_modules', name);

it('publint and attw find nothing in any package', async () => {
  expect(Object.keys(archives)).toHaveLength(7);
  for (const [name, archive] of Object.entries(archives)) {
    await project.node(bin('publint/src/cli.js'), archive, '--strict');
    const found = await project.node(bin('@arethetypeswrong/cli/dist/index.js'), archive, '--profile', 'esm-only');
    // Two are programs alone.
    const isProgram = ['imagewright', 'imagewright-server'].includes(name);
    expect({ name, untyped: found.includes('does not contain types') }).toEqual({ name, untyped: isProgram });
  }
});

const ENGINE = `
import { type EngineOptions, startEngine } from '@imagewright/engine';

const options: EngineOptions = { workers: 2, heic: false };
const engine = await startEngine(options);
// @ts-expect-error not a number
await startEngine({ workers: 'two' });
const settings = { formats: ['avif', 'webp'], responsive: true, responsiveSizes: [480, { width: 960 }] } as const;
const { files } = await engine.optimize({ source: 'a.jpg', folder: 'made', settings: { preset: 'high', formats: [...settings.formats] } });
// @ts-expect-error no such format
await engine.optimize({ source: 'a.jpg', folder: 'made', settings: { format: 'bmp' } });
export const scores: (number | null)[] = files.map(({ quality }) => quality.score);
`;

it.each(['bundler', 'nodenext'] as const)('types the engine under %s', async (resolution) => {
  await project.compile('engine.ts', ENGINE, resolution);
});

const ADMIN = `
/// <reference types="node" />
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRemoteHost, type CmsHost } from '@imagewright/host';
import { imagewright, openMedia } from '@imagewright/host/server';

interface Request extends IncomingMessage { user?: { id: number } }
const media = openMedia({ folder: 'media', url: '/media', list: () => [{ id: 1, file: 'a.jpg' }] });
const user = { userOf: (req: Request) => req.user ?? null, owns: (owner: { id: number }, session: string) => owner.id > session.length };
export const handler: (req: Request, res: ServerResponse) => Promise<void> =
  imagewright({ service: 'http://127.0.0.1:8080', apiKey: 'iw_', host: media, ...user });
// @ts-expect-error nobody says who the user is
imagewright({ service: 'http://127.0.0.1:8080', apiKey: 'iw_' });
export const hosts: CmsHost[] = [media, createRemoteHost('/imagewright', { headers: () => ({ 'X-CSRF-Token': '1' }) })];
`;

it.each(['bundler', 'nodenext'] as const)('types the server of a CMS under %s', async (resolution) => {
  await project.compile('admin.ts', ADMIN, resolution);
});

const IMAGES = `
/// <reference types="@imagewright/unplugin/client" />
import * as imagewright from '@imagewright/unplugin';
import beach from './beach.jpg?imagewright&widths=480;960&formats=avif;webp';
import hill from '../hill.png?imagewright';

export const plugins: { name: string }[] = [imagewright.vite({ preset: 'high', formats: ['avif', 'jpeg'] }), imagewright.rollup()];
// @ts-expect-error no such option
imagewright.webpack({ quality: 80 });
export const image: imagewright.OptimizedImage = beach;
export const width: number = hill.width;
// @ts-expect-error a text
export const score: string = hill.score;
`;

it.each(['bundler', 'nodenext'] as const)('types imports of images under %s', async (resolution) => {
  await project.compile('images.ts', IMAGES, resolution);
});

it.each(['bundler', 'nodenext'] as const)('types properties and events for React under %s', async (resolution) => {
  const text = `
    import '@imagewright/element/react';
    export const right = (
      <image-optimizer autoUpload={false} maxFiles={3} className="box" onio-export={({ detail }) => detail.results.length} />
    );
    // @ts-expect-error not a boolean
    export const wrong = <image-optimizer autoUpload="no" />;
    // @ts-expect-error no such detail
    export const event = <image-optimizer onio-export={({ detail }) => detail.nothing} />;
  `;
  await project.compile('page.tsx', text, resolution);
});

it.each(['bundler', 'nodenext'] as const)(
  'types properties and events for templates of Vue under %s',
  async (resolution) => {
    const text = `
    import '@imagewright/element/vue';
    import type { GlobalComponents } from 'vue';
    type Properties = InstanceType<GlobalComponents['image-optimizer']>['$props'];
    export const right: Properties = { autoUpload: false, class: 'box', onIoExport: ({ detail }) => detail.results.length };
    // @ts-expect-error not a boolean
    export const wrong: Properties = { autoUpload: 'no' };
    // @ts-expect-error no such detail
    export const event: Properties = { onIoExport: ({ detail }) => detail.nothing };
  `;
    await project.compile('component.ts', text, resolution);
  },
);

it('React and Vue render the element on a server', async () => {
  const script = `
    import '@imagewright/element/react';
    import '@imagewright/element/vue';
    import { createElement } from 'react';
    import { renderToString } from 'react-dom/server';
    import { createSSRApp, h } from 'vue';
    import { renderToString as renderVue } from 'vue/server-renderer';
    console.log(renderToString(createElement('image-optimizer', { endpoint: '/images' })));
    console.log(await renderVue(createSSRApp({ render: () => h('image-optimizer', { endpoint: '/images' }) })));
  `;
  const tag = '<image-optimizer endpoint="/images"></image-optimizer>\n';
  expect(await project.node('--input-type=module', '-e', script)).toBe(tag + tag);
});

/** Starts the service by npx in an empty directory. Returns its address and the lines up to the command for another link. */
async function startServer(): Promise<{ url: string; lines: string[] }> {
  const child = spawn('npx', ['--no-install', 'imagewright-server'], {
    cwd: project.folder,
    env: {
      ...envOutside(),
      ...{
        NODE_ENV: 'production',
        PORT: '0',
        PRINT_FIRST_KEY: 'on',
        DATA_DIR: join(project.folder, `data-${randomUUID()}`),
      },
    },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  onTestFinished(async () => {
    // npx starts the service as a child of its own.
    if (child.pid) process.kill(-child.pid, 'SIGTERM');
    await once(child, 'exit');
  });
  const lines: string[] = [];
  let url = '';
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.includes('"msg":"listening"')) url = (JSON.parse(line) as { url: string }).url;
    lines.push(line);
    if (url && line.includes('A new link')) break;
  }
  // Nobody reads what it prints next.
  child.stdout.resume();
  return { url, lines };
}

it('npx @imagewright/server starts the service', async () => {
  const { url, lines } = await startServer();
  const { version } = JSON.parse(
    await readFile(join(project.folder, 'node_modules/@imagewright/server/package.json'), 'utf8'),
  );
  expect(await (await fetch(`${url}/healthz`)).json()).toMatchObject({ status: 'ok', version });
  // The text of the first start names a command that exists here.
  const [, words = ''] = /A new link: npx @imagewright\/server (.*)/.exec(lines.at(-1) ?? '') ?? [];
  expect(words).toMatch(/^admin account link /);
  const help = await project.node(bin('@imagewright/server/server/start.mjs'), 'admin', '--help');
  expect(help).toContain('npx @imagewright/server admin COMMAND');
  expect(help).toContain('account link');
});

it('npx imagewright makes the same 20 images without a service and with one, and again nothing', async () => {
  const { url, lines } = await startServer();
  const apiKey = lines.flatMap((line) => /^ +(iw_\w+)$/.exec(line)?.[1] ?? [])[0] ?? '';
  const pictures = join(project.folder, 'pictures');
  await mkdir(pictures);
  for (let number = 1; number <= 20; number += 1) {
    const photo = sharp(join(FIXTURES, 'photos', number % 2 ? 'photo-brushes.jpg' : 'photo-stream.jpg'));
    await photo.resize(200 + 4 * number).toFile(join(pictures, `${number}.jpg`));
  }
  const optimize = async (out: string, ...words: string[]) => {
    const order = ['optimize', 'pictures/*.jpg', '--format', 'avif,webp', '--out', out, '--json', ...words];
    const { stdout } = await promisify(execFile)('npx', ['--no-install', 'imagewright', ...order], {
      cwd: project.folder,
      env: { ...envOutside(), IMAGEWRIGHT_API_KEY: apiKey },
    });
    return JSON.parse(stdout) as Report;
  };
  const here = await optimize('here', '--local');
  const there = await optimize('there', '--endpoint', url);
  expect(here).toMatchObject({ service: null, summary: { made: 20 }, credits: { charged: 0 } });
  expect(there).toMatchObject({ service: url, summary: { made: 20 }, credits: { charged: 20 } });
  const hashesOf = ({ images }: Report) => images.flatMap(({ outputs }) => outputs.map(({ sha256 }) => sha256));
  expect(hashesOf(here)).toHaveLength(40);
  expect(hashesOf(here)).toEqual(hashesOf(there));
  for (const again of [await optimize('here', '--local'), await optimize('there', '--endpoint', url)]) {
    expect(again).toMatchObject({ summary: { made: 0, unchanged: 20 }, credits: { charged: 0 } });
  }
});

it('the engine and the command line program are found', async () => {
  const script = "console.log(Object.keys(await import('@imagewright/engine')).join())";
  expect(await project.node('--input-type=module', '-e', script)).toBe('startEngine\n');
  expect(await project.node(bin('imagewright/cli/main.js'), '--help')).toMatch(
    /^Usage: imagewright|imagewright optimize/m,
  );
});
