import { existsSync } from 'node:fs';
import { appendFile, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { DEFAULT_INPUT_FORMATS, type Preset, type StoppedReason } from '#contract/constants';
import { presetSettings, QUALITY_VERSION } from '../../../server/processing/shared/presets.ts';
import type { RenderReport, RenderTask } from '../../../server/processing/shared/protocol.ts';
import { renderImage } from '../../../server/processing/worker/pipeline.ts';
import type { Pixels } from '../../../server/processing/worker/pixels.ts';
import type { SearchTools } from '../../../server/processing/worker/quality/search-tools.ts';
import { encodePixels } from '../../../server/processing/worker/steps/encode.ts';
import { createVariantQueue } from '../../../server/processing/worker/variant-queue.ts';
import type { CorpusImage } from './corpus.ts';
import { type Judge, type Reference, referenceOf } from './judge.ts';

/** Formats that are judged. */
export const JUDGED_FORMATS = ['webp', 'jpeg', 'avif'] as const;
export type JudgedFormat = (typeof JUDGED_FORMATS)[number];

/** Outcome of one image in one format and preset. */
export interface Outcome {
  bytes: number;
  /** Score by the judge. */
  judged: number;
  /** Score that the result states. */
  told: number;
  used: number | 'lossless' | null;
  reached: boolean;
  /** Reason why the file stays below its target. */
  stopped?: StoppedReason | undefined;
}

/** An image on the disk, decoded, as the service and the judge get it. */
export interface OpenImage {
  image: CorpusImage;
  file: string;
  facts: RenderTask['facts'];
  reference: Reference;
  close(): Promise<void>;
}

/** Writes an image as an uncompressed TIFF and decodes it. */
export async function openImage(image: CorpusImage): Promise<OpenImage> {
  const folder = await mkdtemp(join(tmpdir(), 'imagewright-quality-'));
  const file = join(folder, 'source.tiff');
  await image.open().tiff({ compression: 'none' }).toFile(file);
  const pixels = await decode(file);
  const { width, height, channels } = pixels;
  const { size } = await stat(file);
  return {
    image,
    file,
    facts: { format: 'tiff', width, height, hasAlpha: channels === 4, pages: 1, size },
    reference: referenceOf(image.name, pixels),
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Images that are open: those used last, and those in use. */
export interface OpenImages {
  use<T>(image: CorpusImage, work: (open: OpenImage) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Opens images when they are used, and keeps the last ones open. */
export function keepOpen(most: number): OpenImages {
  const kept = new Map<string, { opening: Promise<OpenImage>; users: number }>();
  const closeDownTo = async (count: number) => {
    for (const [name, { opening, users }] of [...kept]) {
      if (kept.size <= count) return;
      if (users > 0) continue;
      kept.delete(name);
      await (await opening).close();
    }
  };
  return {
    async use(image, work) {
      const entry = kept.get(image.name) ?? { opening: openImage(image), users: 0 };
      entry.users += 1;
      // The one used last is the last of the map.
      kept.delete(image.name);
      kept.set(image.name, entry);
      try {
        return await work(await entry.opening);
      } finally {
        entry.users -= 1;
        await closeDownTo(most);
      }
    },
    close: () => closeDownTo(0),
  };
}

/** Decodes a file; alpha that is opaque everywhere is removed, as the service does. */
export async function decode(file: string | Buffer): Promise<Pixels> {
  const image = sharp(file, { limitInputPixels: false });
  const { isOpaque } = (await image.metadata()).hasAlpha ? await image.stats() : { isOpaque: false };
  const shown = isOpaque ? image.clone().removeAlpha() : image.clone();
  const { data, info } = await shown.raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height, channels: info.channels as Pixels['channels'], frames: 1 };
}

/** Renders an image as the service does in a worker process. */
export function render(
  { file, facts }: Pick<OpenImage, 'file' | 'facts'>,
  { format, preset, search, widths = [] }: { format: JudgedFormat; preset: Preset; search: boolean; widths?: number[] },
  tools: SearchTools,
): Promise<RenderReport[]> {
  const specs = [{ name: 'full' }, ...widths.map((width) => ({ name: `${width}w`, width }))];
  const variants = specs.map((spec) => {
    const target = `${file}-${spec.name}`;
    return { ...spec, target, part: target };
  });
  const limits = { maxPixels: 50_000_000, maxFrames: 300, maxAvifPixels: 50_000_000, formats: DEFAULT_INPUT_FORMATS };
  const task: RenderTask = { source: file, facts, format, preset, metadata: 'none', variants, limits, search };
  return renderImage(
    task,
    createVariantQueue(facts, variants),
    () => {},
    async () => tools,
  );
}

/**
 * Renders an image and has it judged. JPEG is judged against the image on white.
 * @param whole true to judge large images whole, in place of windows. @default false
 */
export async function judgeSearch(
  open: OpenImage,
  order: { format: JudgedFormat; preset: Preset },
  tools: SearchTools,
  judge: Judge,
  whole = false,
): Promise<Outcome> {
  const [report] = await render(open, { ...order, search: true }, tools);
  if (!report) throw new Error(`expected a file of ${open.image.name}`);
  const { size, score, quality, reached, stopped } = report;
  const version = await decode(await readFile(report.file));
  const judged = await judge.score(await shownAs(open, order.format), version, whole);
  return { bytes: size, judged, told: score ?? Number.NaN, used: quality, reached, stopped };
}

/** Encodes an image with a fixed number, with the other settings of the preset, and has it judged. */
export async function judgeFixed(
  open: OpenImage,
  { format, preset, number }: { format: JudgedFormat; preset: Preset; number: number },
  judge: Judge,
): Promise<{ bytes: number; judged: number }> {
  const settings = presetSettings(format, preset);
  if (!('quality' in settings)) throw new Error('expected a format with numbers');
  const { data } = await encodePixels(open.reference.pixels, { ...settings, quality: number }, {});
  return { bytes: data.length, judged: await judge.score(await shownAs(open, format), await decode(data)) };
}

async function shownAs({ image, reference }: OpenImage, format: JudgedFormat): Promise<Reference> {
  if (format !== 'jpeg' || reference.pixels.channels !== 4) return reference;
  const { data, width, height } = reference.pixels;
  const flat = sharp(data, { raw: { width, height, channels: 4 } }).flatten({ background: '#ffffff' });
  return referenceOf(image.name, { data: await flat.raw().toBuffer(), width, height, channels: 3, frames: 1 });
}

/** Results of earlier runs, so that a run that was ended goes on where it was. */
export async function openLog<T>(name: string) {
  const file = join(tmpdir(), `imagewright-bench-${name}-${QUALITY_VERSION}.jsonl`);
  const lines = existsSync(file) ? (await readFile(file, 'utf8')).split('\n').filter((line) => line.endsWith(']')) : [];
  const known = new Map(lines.map((line) => JSON.parse(line) as [string, T]));
  return async (key: string, measure: () => Promise<T>): Promise<T> => {
    const before = known.get(key);
    if (before !== undefined) return before;
    const result = await measure();
    known.set(key, result);
    await appendFile(file, `${JSON.stringify([key, result])}\n`);
    return result;
  };
}
