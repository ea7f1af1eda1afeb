import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { ImageResult } from '#contract';
import type { OptimizedImage } from '../../plugin-bridge/unplugin/image.ts';
import { openImages } from '../../plugin-bridge/unplugin/images.ts';
import { type ChromiumEye, openChromiumEye } from '../judge/chromium-eye.ts';
import { type CliHarness, startCliHarness } from '../plugin-bridge/cli/cli-harness.ts';
import { type SharedBrowser, sharedBrowser } from '../support/browser.ts';
import { type FakeVisionServer, GOOD_ANSWER, startFakeVisionServer } from '../support/fake-vision-server.ts';
import { createJudge, type Got, type Judge, TEXTS, WIDTH } from './judge-cell.ts';
import { SERVICE, SETTINGS } from './settings.ts';
import { nameOf, showMarkup } from './show-markup.ts';
import { type Cell, cellsOf, type Kind, type Setting, type Way } from './table.ts';
import { type Upload, uploadsOfKinds } from './uploads.ts';

let cli: CliHarness;
let vision: FakeVisionServer;
let browser: SharedBrowser;
let eye: ChromiumEye;
let judge: Judge;
let folder: string;
let uploads: Record<Kind, Upload>;

beforeAll(async () => {
  vision = await startFakeVisionServer();
  const model = { AI_PROVIDER: 'openai-compatible', AI_BASE_URL: vision.url, AI_MODEL: 'fake', AI_CANARY: 'off' };
  cli = await startCliHarness({ ...SERVICE, ...model });
  browser = await sharedBrowser();
  eye = await openChromiumEye(browser);
  judge = await createJudge(eye);
  folder = await mkdtemp(join(tmpdir(), 'imagewright-crossings-'));
  uploads = await uploadsOfKinds();
});
afterAll(async () => {
  await eye?.close();
  await cli?.close();
  await vision?.close();
  await rm(folder, { recursive: true, force: true });
});

async function byApi({ kind, setting }: Cell): Promise<Got> {
  const api = (await cli.test.createAccount({ credits: 5 })).api;
  const uploaded = await api.upload([uploads[kind]]);
  const texts = { en: { alt: TEXTS.alt }, de: { alt: TEXTS.german } };
  const path = `/v1/sessions/${uploaded.sessionId}/images/${uploaded.images[0]?.id}`;
  await api.readJson(path, { method: 'PATCH', json: { metadata: { alt: TEXTS.alt }, texts } });
  const { last } = await api.run('export', uploaded, SETTINGS[setting]);
  const [result] = last.data.results as ImageResult[];
  if (!result?.html) throw new Error(`no file: ${JSON.stringify(result)}`);
  const files = new Map<string, Buffer>();
  for (const { filename, url } of result.variants)
    files.set(filename, Buffer.from(await (await api.request(url)).arrayBuffer()));
  if (kind === 'animated' && setting === 'formats')
    expect(result.warnings.find(({ code }) => code === 'animation_dropped')?.message).toContain('AVIF, JPEG');
  return chosenOf(setting, result.html, files, { score: result.quality.score });
}

const FLAGS: Record<Setting, string[]> = {
  formats: ['--format', 'avif,webp,jpeg'],
  sizes: ['--format', 'avif,webp', '--sizes', `${WIDTH}`],
  limits: ['--format', 'avif,webp', '--max-width', `${WIDTH}`],
  original: ['--format', 'original'],
  exact: ['--exact'],
  embed: ['--embed-metadata', '--analyze'],
  languages: ['--embed-metadata', '--analyze', '--language', 'de'],
  placeholder: ['--placeholder'],
};

async function byCommandLine({ kind, setting }: Cell): Promise<Got> {
  const place = await cli.createWorkplace();
  await place.write(`in/${uploads[kind].name}`, uploads[kind].bytes);
  // Texts and HEIC need the service.
  const isLocal = kind !== 'HEIC' && setting !== 'embed' && setting !== 'languages';
  vision.answer = { ...GOOD_ANSWER, alt: setting === 'languages' ? TEXTS.german : TEXTS.alt };
  const report = await place.optimize('in/*', ...(isLocal ? ['--local'] : []), ...FLAGS[setting], '--out', 'out');
  if (setting === 'languages') expect(vision.questions().at(-1)?.words).toMatch(/German|"de"/);
  const [image] = report.images;
  if (!image?.html) throw new Error(`no file: ${JSON.stringify(report)}`);
  const files = new Map<string, Buffer>();
  for (const { file } of image.outputs) files.set(nameOf(file), await readFile(join(place.folder, 'out', file)));
  return chosenOf(setting, image.html, files, { score: image.outputs[0]?.quality?.score });
}

const QUERIES: Partial<Record<Setting, string>> = {
  formats: '&formats=avif;webp;jpeg',
  sizes: `&widths=${WIDTH}`,
  limits: `&max-width=${WIDTH}`,
  original: '&formats=original',
  placeholder: '',
};

async function byBuild({ kind, setting }: Cell): Promise<Got> {
  const root = await mkdtemp(join(folder, 'build-'));
  const source = join(root, uploads[kind].name);
  await writeFile(source, uploads[kind].bytes);
  const images = openImages({ workers: 1, cache: join(root, 'cache') }, { root, development: false });
  onTestFinished(() => images.close());
  const { files: paths, text, notes } = await images.load(source, `?imagewright${QUERIES[setting]}`);
  if (kind === 'animated' && setting !== 'original') expect(notes.join()).toContain('AVIF');
  const files = new Map<string, Buffer>();
  for (const [index, path] of paths.entries()) files.set(`file${index}`, await readFile(path));
  // The page draws what it likes of the ThumbHash.
  return chosenOf(setting, await pictureOf(text), files, { background: undefined });
}

/** Writes the `<picture>` that a page makes of a module of the build. */
async function pictureOf(text: string): Promise<string> {
  const names = [...new Set(text.match(/file\d+/g))].map((name) => `const ${name} = '${name}';`);
  const code = Buffer.from(names.join('\n') + text).toString('base64');
  const { default: image } = (await import(`data:text/javascript;base64,${code}`)) as { default: OptimizedImage };
  const sources = image.sources.map(({ type, srcset }) => `<source type="${type}" srcset="${srcset}" sizes="100vw">`);
  const more = image.placeholder ? ` data-thumbhash="${image.placeholder}"` : '';
  return `<picture>${sources.join('')}<img src="${image.src}" srcset="${image.srcset}" sizes="100vw" alt=""${more}></picture>`;
}

/** Returns what Chromium chooses of some markup: on a page as narrow as the sizes, if there are some. */
async function chosenOf(setting: Setting, html: string, files: Map<string, Buffer>, told: Got['told']): Promise<Got> {
  const chosen = await showMarkup(browser, html, files, setting === 'sizes' ? WIDTH : undefined);
  const { name, background, placeholder } = chosen;
  const bytes = files.get(name);
  if (!bytes) throw new Error(`expected ${name} among ${[...files.keys()]}`);
  const { format, compression } = await sharp(bytes).metadata();
  const type = `image/${compression === 'av1' ? 'avif' : format}`;
  return { shown: { bytes, type }, all: [...files.values()], told: { placeholder, background, ...told } };
}

const WALKERS: Partial<Record<Way, (cell: Cell) => Promise<Got>>> = {
  API: byApi,
  'command line': byCommandLine,
  'build plugin': byBuild,
};

describe.each(Object.entries(WALKERS))('%s', (way, walk) => {
  it.each(cellsOf(way as Way))('$kind with $setting: $line', async (cell) => {
    await judge.expectRight(cell, uploads[cell.kind], await walk(cell));
  });
});

it('a HEIC in a build is refused with a reason', async () => {
  await expect(
    byBuild({ kind: 'HEIC', way: 'build plugin', setting: 'formats', isReachable: false, line: '' }),
  ).rejects.toThrow(/heic/i);
});
