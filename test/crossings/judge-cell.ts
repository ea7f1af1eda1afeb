import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { thumbHashToAverageRGBA } from 'thumbhash';
import { expect } from 'vitest';
import { createScorer } from '../../server/processing/worker/score/index.ts';
import type { ChromiumEye } from '../judge/chromium-eye.ts';
import { hasExiftool, placesByExiftool, textsByExiftool } from '../judge/exiftool.ts';
import type { Picture } from '../judge/picture.ts';
import { placesIn } from '../judge/places.ts';
import { splitImages } from '../processing/ultra-hdr.ts';
import { readReport } from '../support/signed-files.ts';
import type { Cell } from './table.ts';
import type { Upload } from './uploads.ts';

/** Width that cells with sizes and limits ask for. */
export const WIDTH = 48;
/** Texts of the images, and the German of cells with languages. */
export const TEXTS = { alt: 'A stream between stones', german: 'Ein Bach zwischen Steinen' };

/** Files of a visitor: the one that a browser takes, and every file that left. */
export interface Got {
  shown: { bytes: Buffer; type: string };
  all: Buffer[];
  /** What was told of it. */
  told?: { score?: number | null; placeholder?: string | undefined; background?: string };
}

/** Decodes as Chromium and exiftool do. */
export interface Judge {
  /** Expects of a cell what its line says. @param width of the shown picture, where a setting limits it */
  expectRight(cell: Pick<Cell, 'kind' | 'setting'>, upload: Upload, got: Got, width?: number): Promise<void>;
}

/** Colours of the upper row of the HEIC, in the middle of each patch. */
const PATCHES = [
  [255, 0, 0],
  [20, 200, 60],
  [30, 60, 220],
  [200, 120, 90],
];
/** Steps of 255 between means of the same picture, encoded otherwise. */
const ALIKE = 14;
const PARTS = 4;

/** Makes a judge with the eye of Chromium. */
export async function createJudge(eye: ChromiumEye): Promise<Judge> {
  const scorer = await createScorer();

  async function expectAlike({ kind }: Pick<Cell, 'kind'>, upload: Upload, shown: Picture) {
    if (kind === 'HEIC') {
      const middles = PATCHES.map((_, index) => meanOf(shown, index, 4, 0, 2).slice(0, 3));
      for (const [index, colour] of PATCHES.entries()) expectNear(middles[index] ?? [], colour, 30);
      return;
    }
    const [before] = await eye.frames(upload.bytes, upload.type);
    for (let at = 0; before && at < PARTS * PARTS; at += 1) {
      const part = (picture: Picture) => meanOf(picture, at % PARTS, PARTS, Math.floor(at / PARTS), PARTS);
      expectNear(part(shown), part(before), ALIKE);
    }
  }

  /** Compares what was told with a score of what Chromium shows, on white and on black. */
  async function expectScore(score: number | null | undefined, upload: Upload, shown: Picture) {
    expect(score).toEqual(expect.any(Number));
    const [before] = await eye.frames(upload.bytes, upload.type);
    const scores = [0, 255].map((ground) =>
      scorer.prepare(onGround(before as Picture, ground)).score(onGround(shown, ground)),
    );
    expect(Math.min(...scores)).toBeGreaterThan((score as number) - 3);
  }

  async function expectKept({ kind, setting }: Pick<Cell, 'kind' | 'setting'>, { shown, all }: Got) {
    if (kind === 'credentials')
      for (const bytes of all)
        if (bytes.includes('c2pa'))
          expect((await readReport(bytes, 'image/jpeg')).validation_state).not.toBe('Invalid');
    // A JPEG stays HDR where its pixels are those of the upload, in whatever size.
    if (kind === 'HDR' && shown.type === 'image/jpeg') {
      const [base, map] = splitImages(shown.bytes);
      for (const part of [base, map]) expect((await eye.frames(part, 'image/jpeg')).length).toBe(1);
    }
    if (hasExiftool && (setting === 'embed' || setting === 'languages')) {
      const texts = await withFiles([shown.bytes], (paths) => textsByExiftool(paths));
      expect(texts).toContain(setting === 'embed' ? TEXTS.alt : TEXTS.german);
    }
  }

  return {
    async expectRight(cell, upload, got, width = WIDTH) {
      const { kind, setting } = cell;
      const { shown, all, told = {} } = got;
      const frames = await eye.frames(shown.bytes, shown.type);
      const [first, second] = frames;
      if (!first) throw new Error('nothing is shown');
      if (kind === 'animated') expect(Buffer.compare(first.data, second?.data ?? first.data)).not.toBe(0);
      if (kind === 'transparent') {
        const alphas = new Set(first.data.filter((_, at) => at % 4 === 3));
        expect([alphas.has(0), alphas.has(255)]).toEqual([true, true]);
      }
      if (setting === 'limits' || setting === 'sizes') expect(first.width).toBe(width);
      await expectAlike(cell, upload, first);
      if (setting === 'exact' && kind !== 'HEIC') await expectScore(told.score, upload, first);
      if (setting === 'placeholder') expectColour(told, first);
      await expectKept(cell, got);
      for (const bytes of [shown.bytes, ...all]) expect(placesIn(bytes)).toEqual([]);
      expect(await withFiles([shown.bytes, ...all], async (paths) => placesByExiftool(paths))).toEqual([]);
    },
  };
}

/** Expects a colour behind the picture that is its mean, in the ThumbHash and in the page. */
function expectColour({ placeholder, background }: NonNullable<Got['told']>, shown: Picture): void {
  if (!placeholder) throw new Error('expected a placeholder');
  const { r, g, b, a } = thumbHashToAverageRGBA(Buffer.from(placeholder, 'base64'));
  const mean = meanOf(shown, 0, 1, 0, 1);
  if (a === 1)
    expectNear(
      [r, g, b].map((value) => value * 255),
      mean.slice(0, 3),
      24,
    );
  // Behind a transparent picture a colour would show through.
  const colour =
    /\d+, \d+, \d+(?:, 0)?/
      .exec(background ?? '')?.[0]
      .split(', ')
      .map(Number) ?? [];
  if (background === undefined) return;
  if (a === 1) expectNear(colour, mean.slice(0, 3), 24);
  else expect(background).toBe('rgba(0, 0, 0, 0)');
}

function expectNear(received: number[], wanted: number[], most: number): void {
  const apart = wanted.map((value, index) => Math.abs(value - (received[index] ?? Number.NaN)));
  expect(
    Math.max(...apart),
    `expected ${wanted.map(Math.round)}, but received ${received.map(Math.round)}`,
  ).toBeLessThan(most);
}

/** Returns the mean colour of a part of a picture on grey, and its mean opacity. */
function meanOf(
  { width, height, data }: Picture,
  column: number,
  columns: number,
  row: number,
  rows: number,
): number[] {
  const sums = [0, 0, 0, 0];
  const [left, right] = [column, column + 1].map((at) => Math.round((at * width) / columns)) as [number, number];
  const [top, bottom] = [row, row + 1].map((at) => Math.round((at * height) / rows)) as [number, number];
  for (let y = top; y < bottom; y += 1) {
    for (let at = (y * width + left) * 4; at < (y * width + right) * 4; at += 4) {
      const alpha = (data[at + 3] ?? 255) / 255;
      for (let channel = 0; channel < 3; channel += 1)
        sums[channel] = (sums[channel] ?? 0) + (data[at + channel] ?? 0) * alpha + 128 * (1 - alpha);
      sums[3] = (sums[3] ?? 0) + alpha * 255;
    }
  }
  return sums.map((sum) => sum / ((right - left) * (bottom - top)));
}

function onGround({ width, height, data }: Picture, ground: number) {
  const pixels = new Uint8Array(width * height * 3);
  for (let at = 0; at < width * height; at += 1) {
    const alpha = (data[at * 4 + 3] ?? 255) / 255;
    for (let channel = 0; channel < 3; channel += 1)
      pixels[at * 3 + channel] = Math.round((data[at * 4 + channel] ?? 0) * alpha + ground * (1 - alpha));
  }
  return { width, height, data: pixels };
}

/** Writes files, calls `use` with their paths, and removes them. */
async function withFiles<T>(files: Buffer[], use: (paths: string[]) => T | Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'imagewright-judged-'));
  try {
    const paths = files.map((_, index) => join(folder, `${index}`));
    for (const [index, path] of paths.entries()) await writeFile(path, files[index] as Buffer);
    return await use(paths);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
