import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { ImageResult, SettingsInput } from '#contract';
import { openImages } from '../../plugin-bridge/unplugin/images.ts';
import { type ChromiumEye, openChromiumEye } from '../judge/chromium-eye.ts';
import { placesByExiftool, placesIn } from '../judge/places.ts';
import { type CliHarness, startCliHarness } from '../plugin-bridge/cli/cli-harness.ts';
import { makeUltraHdr } from '../processing/ultra-hdr.ts';
import { sharedBrowser } from '../support/browser.ts';
import { signAsCamera } from '../support/signed-files.ts';
import { type Cell, cells, type Kind, type Setting, type Way } from './table.ts';

const WIDTH = 48;
let cli: CliHarness;
let eye: ChromiumEye;
let folder: string;
const uploads = {} as Record<Kind, { name: string; bytes: Buffer }>;

beforeAll(async () => {
  cli = await startCliHarness({ HEIC_INPUT: 'on' });
  eye = await openChromiumEye(await sharedBrowser());
  folder = await mkdtemp(join(tmpdir(), 'imagewright-crossings-'));
  const read = async (path: string) => readFile(new URL(`../fixtures/${path}`, import.meta.url));
  const pixels = Buffer.from(
    [...Array(96 * 64 * 4).keys()].map((at) => (at % 4 === 3 ? (at % 384 < 192 ? 0 : 255) : (at * 7) % 251)),
  );
  const drawn = sharp(pixels, { raw: { width: 96, height: 64, channels: 4 } });
  const jpeg = await drawn.clone().flatten().jpeg({ quality: 95 }).toBuffer();
  Object.assign(uploads, {
    still: { name: 'still.jpg', bytes: jpeg },
    animated: { name: 'animated.gif', bytes: await read('field/d-control.gif') },
    transparent: { name: 'transparent.png', bytes: await drawn.clone().png().toBuffer() },
    HDR: { name: 'hdr.jpg', bytes: await makeUltraHdr({ width: 96, height: 64 }, (x) => x / 96) },
    credentials: { name: 'credentials.jpg', bytes: await signAsCamera(jpeg, 'image/jpeg') },
    places: { name: 'places.jpg', bytes: await read('field/c2pa-stds.exif.jpg') },
    '16 bits': { name: 'deep.png', bytes: await read('field/rgb16-srgb.png') },
    HEIC: { name: 'phone.heic', bytes: await read('heic/plain.heic') },
  } satisfies typeof uploads);
});
afterAll(async () => {
  await eye?.close();
  await cli?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Files of a visitor: the one that a browser takes, and every file that left. */
interface Got {
  shown: { bytes: Buffer; type: string };
  all: Buffer[];
}

const SETTINGS: Record<Setting, SettingsInput> = {
  formats: { formats: ['avif', 'webp', 'jpeg'] },
  sizes: { formats: ['avif', 'webp'], responsive: true, responsiveSizes: [WIDTH] },
  limits: { formats: ['avif', 'webp'], maxWidth: WIDTH },
  original: { format: 'original' },
  exact: { quality: 'exact' },
  embed: { embedMetadata: true },
  languages: { embedMetadata: true },
  placeholder: { placeholder: true },
};

/** Returns the address that a browser takes first. */
function firstOf(html: string): string {
  const [, set, src] = /srcset="([^" ]+)|src="([^"]+)"/.exec(html) ?? [];
  return decodeURIComponent(set ?? src ?? '');
}

async function byApi({ kind, setting }: Cell): Promise<Got> {
  const api = (await cli.test.createAccount({ credits: 5 })).api;
  const uploaded = await api.upload([uploads[kind]]);
  const { last } = await api.run('export', uploaded, SETTINGS[setting]);
  const [result] = last.data.results as ImageResult[];
  if (!result?.html) throw new Error(`no file: ${JSON.stringify(result)}`);
  const files = new Map<string, Buffer>();
  for (const { filename, url } of result.variants)
    files.set(filename, Buffer.from(await (await api.request(url)).arrayBuffer()));
  if (kind === 'animated' && setting === 'formats')
    expect(result.warnings.find(({ code }) => code === 'animation_dropped')?.message).toContain('AVIF, JPEG');
  return gotOf(firstOf(result.html), files);
}

const FLAGS: Record<Setting, string[]> = {
  formats: ['--format', 'avif,webp,jpeg'],
  sizes: ['--format', 'avif,webp', '--sizes', `${WIDTH}`],
  limits: ['--format', 'avif,webp', '--max-width', `${WIDTH}`],
  original: ['--format', 'original'],
  exact: ['--exact'],
  embed: ['--embed-metadata'],
  languages: ['--embed-metadata', '--analyze', '--language', 'de'],
  placeholder: ['--placeholder'],
};

async function byCommandLine({ kind, setting }: Cell): Promise<Got> {
  const place = await cli.createWorkplace();
  await place.write(`in/${uploads[kind].name}`, uploads[kind].bytes);
  // Texts and HEIC need the service.
  const isLocal = kind !== 'HEIC' && setting !== 'embed' && setting !== 'languages';
  const report = await place.optimize('in/*', ...(isLocal ? ['--local'] : []), ...FLAGS[setting], '--out', 'out');
  const [image] = report.images;
  if (!image?.html) throw new Error(`no file: ${JSON.stringify(report)}`);
  const files = new Map<string, Buffer>();
  for (const { file } of image.outputs) files.set(file, await readFile(join(place.folder, 'out', file)));
  return gotOf(firstOf(image.html), files);
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
  const [, first] = /sources: \[\{[^`]*`\$\{(file\d+)\}/.exec(text) ?? [];
  return gotOf(first ?? /src: (file\d+)/.exec(text)?.[1] ?? '', files);
}

async function gotOf(name: string, files: Map<string, Buffer>): Promise<Got> {
  const bytes = files.get(name.split('/').at(-1) ?? '') ?? files.get(name);
  if (!bytes) throw new Error(`expected ${name} among ${[...files.keys()]}`);
  const { format, compression } = await sharp(bytes).metadata();
  return { shown: { bytes, type: `image/${compression === 'av1' ? 'avif' : format}` }, all: [...files.values()] };
}

async function expectRight({ kind, setting }: Cell, { shown, all }: Got): Promise<void> {
  const frames = await eye.frames(shown.bytes, shown.type);
  const [first] = frames;
  if (!first) throw new Error('nothing is shown');
  if (kind === 'animated') expect(frames.length).toBeGreaterThan(1);
  if (kind === 'transparent') {
    const alphas = new Set(first.data.filter((_, at) => at % 4 === 3));
    expect([alphas.has(0), alphas.has(255)]).toEqual([true, true]);
  }
  if (kind === '16 bits')
    expect([...first.data.subarray(0, 3)].map((value) => value > 128)).toEqual([true, false, false]);
  if (setting === 'limits') expect(first.width).toBe(WIDTH);
  for (const bytes of all) expect(placesIn(bytes)).toEqual([]);
  if (kind === 'places') expect(placesByExiftool(await written(all))).toEqual([]);
}

async function written(all: Buffer[]): Promise<string[]> {
  const place = await mkdtemp(join(folder, 'out-'));
  return Promise.all(
    all.map(async (bytes, index) => {
      await writeFile(join(place, `${index}`), bytes);
      return join(place, `${index}`);
    }),
  );
}

const WALKERS: Partial<Record<Way, (cell: Cell) => Promise<Got>>> = {
  API: byApi,
  'command line': byCommandLine,
  'build plugin': byBuild,
};

describe.each(Object.keys(WALKERS) as Way[])('%s', (way) => {
  it.each(cells().filter((cell) => cell.way === way && cell.isReachable))(
    '$kind with $setting: $line',
    async (cell) => {
      await expectRight(cell, await (WALKERS[way] as (cell: Cell) => Promise<Got>)(cell));
    },
  );
});

it('a HEIC in a build is refused with a reason', async () => {
  await expect(
    byBuild({ kind: 'HEIC', way: 'build plugin', setting: 'formats', isReachable: false, line: '' }),
  ).rejects.toThrow(/heic/i);
});
