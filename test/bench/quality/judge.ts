import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { appendFile, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pixels } from '../../../server/processing/worker/pixels.ts';
import type { Scorer } from '../../../server/processing/worker/score/index.ts';
import { fetchDebianJudge } from './debian-judge.ts';

/** Scores files by a program that shares no code with the service; knows the scores of earlier runs. */
export interface Judge {
  name: string;
  /**
   * Scores decoded pixels against the original's: with transparency on white and on black, of which the worse counts.
   * @param whole true to score large images whole, in place of windows. @default false
   */
  score(reference: Reference, version: Pixels, whole?: boolean): Promise<number>;
}

/** An original with its hash. */
export interface Reference {
  name: string;
  pixels: Pixels;
  hash: string;
}

/** sRGB without transparency. */
interface Rgb {
  data: Buffer;
  width: number;
  height: number;
}

/** Larger images are scored on windows. */
export const WHOLE_PIXELS = 2_000_000;
const WINDOWS = 3;
const WINDOW_EDGE = 1000;
const CACHE = join(tmpdir(), 'imagewright-bench-scores.jsonl');

/** Makes the reference of an image. */
export function referenceOf(name: string, pixels: Pixels): Reference {
  return { name, pixels, hash: createHash('sha256').update(pixels.data).digest('hex') };
}

type Compare = (one: Rgb, other: Rgb) => number | Promise<number>;

/** Opens the judge: the program of Debian, or where it cannot be had the service's own scorer, which proves nothing about itself. */
export async function openJudge(scorer: Scorer): Promise<Judge> {
  const debian = fetchDebianJudge();
  const name = debian?.name ?? 'THE SERVICE ITSELF, no independent judge';
  const compare: Compare = debian ? debian.score : (one, other) => scorer.prepare(one).score(other);
  const known = await readCache();
  return {
    name,
    async score(reference, version, whole = false) {
      const hash = createHash('sha256').update(version.data).digest('hex');
      const key = `${name}:${reference.hash}:${hash}${whole ? ':whole' : ''}`;
      const cached = known.get(key);
      if (cached !== undefined) return cached;
      const windows = whole ? [fullWindow(reference)] : windowsOf(reference);
      const scores: number[] = [];
      for (const background of backgrounds(reference)) {
        scores.push(await judge(reference, version, background, windows, compare));
      }
      const score = Math.min(...scores);
      known.set(key, score);
      await appendFile(CACHE, `${JSON.stringify([key, score])}\n`);
      return score;
    },
  };
}

async function readCache(): Promise<Map<string, number>> {
  if (!existsSync(CACHE)) return new Map();
  const lines = (await readFile(CACHE, 'utf8')).split('\n').filter((line) => line.endsWith(']'));
  return new Map(lines.map((line) => JSON.parse(line) as [string, number]));
}

function backgrounds({ pixels }: Reference): number[] {
  return pixels.channels === 4 ? [255, 0] : [255];
}

async function judge(
  reference: Reference,
  version: Pixels,
  background: number,
  windows: Window[],
  compare: Compare,
): Promise<number> {
  let sum = 0;
  for (const window of windows) {
    sum += await compare(cut(reference.pixels, window, background), cut(version, window, background));
  }
  return sum / windows.length;
}

interface Window {
  x: number;
  y: number;
  width: number;
  height: number;
}

function fullWindow({ pixels: { width, height } }: Reference): Window {
  return { x: 0, y: 0, width, height };
}

/** Places of the windows, one in each third of the image from top to bottom; chosen by the image's name alone. */
function windowsOf(reference: Reference): Window[] {
  const { name, pixels } = reference;
  const { width, height } = pixels;
  if (width * height <= WHOLE_PIXELS) return [fullWindow(reference)];
  const size = { width: Math.min(WINDOW_EDGE, width), height: Math.min(WINDOW_EDGE, height) };
  const seed = createHash('sha256').update(name).digest();
  return Array.from({ length: WINDOWS }, (_, index) => {
    const share = (offset: number) => seed.readUInt16BE(index * 4 + offset) / 65_535;
    const y = ((index + share(2)) / WINDOWS) * (height - size.height);
    return { x: Math.round(share(0) * (width - size.width)), y: Math.round(y), ...size };
  });
}

function cut({ data, width, channels }: Pixels, window: Window, background: number): Rgb {
  const rgb = Buffer.alloc(window.width * window.height * 3);
  let to = 0;
  for (let y = window.y; y < window.y + window.height; y += 1) {
    for (let x = window.x; x < window.x + window.width; x += 1) {
      const at = (y * width + x) * channels;
      const alpha = channels === 4 ? (data[at + 3] ?? 255) : 255;
      for (let channel = 0; channel < 3; channel += 1) {
        const value = data[at + (channels === 1 ? 0 : channel)] ?? 0;
        rgb[to + channel] = Math.round((value * alpha + background * (255 - alpha)) / 255);
      }
      to += 3;
    }
  }
  return { data: rgb, width: window.width, height: window.height };
}
