import sharp, { type Sharp } from 'sharp';
import type { EncodedFormat } from '#contract/constants';
import type { EncoderSettings } from '../../shared/presets.ts';
import { rewriteContainer } from '../containers/rewrite.ts';
import { holdWebp, isStillWebp } from '../containers/webp.ts';
import { type ExifTags, writeExif } from '../exif.ts';
import { openPixels, type Pixels } from '../pixels.ts';
import { shownDurations } from '../quality/timeline.ts';
import { buildXmp, type XmpProperties } from '../xmp.ts';
import { showsSame } from './pixel-statistics.ts';
import { openScaled, type Scaling } from './resize.ts';

/** Metadata written into an output beside its pixels. */
export type OutputMetadata = XmpProperties & ExifTags;

/**
 * Writer of the metadata of each format; null: none is written. `reserved`: the library writes a place of the right size, which is then
 * filled.
 */
const METADATA_WRITERS = {
  jpeg: 'container',
  png: 'container',
  webp: 'container',
  avif: 'reserved',
  tiff: 'library',
  gif: null,
} as const satisfies Record<EncodedFormat, 'container' | 'reserved' | 'library' | null>;

/** An encoded variant; `quality` is the encoder's quality, or the number of palette colours of a reduced PNG or GIF. */
export interface EncodedImage {
  data: Buffer;
  quality: number | 'lossless';
}

/** Encodes pixels with each of the settings and keeps the smallest result. Transparency becomes white in JPEG. */
export async function encodeSmallest(
  pixels: Pixels,
  candidates: EncoderSettings[],
  metadata: OutputMetadata,
): Promise<EncodedImage> {
  let best: EncodedImage | undefined;
  for (const settings of candidates) {
    const encoded = await encodePixels(pixels, settings, metadata);
    if (best && encoded.data.length >= best.data.length) continue;
    if (settings.format === 'png' && settings.colours !== null && settings.exact) {
      // The quantizer does not guarantee exact colours, so the decoded pixels are compared.
      if (!(await decodesTo(encoded.data, pixels))) continue;
    }
    best = encoded;
  }
  if (!best) throw new Error('expected at least one candidate that keeps the pixels exactly');
  return best;
}

/** Encodes pixels. Transparency becomes white in JPEG. */
export function encodePixels(
  pixels: Pixels,
  settings: EncoderSettings,
  metadata: OutputMetadata,
): Promise<EncodedImage> {
  return encodeImage(openPixels(pixels), pixels, settings, metadata);
}

/** Scales and encodes in one pass of the library, without intermediate pixels. The bytes are those of two passes. */
export function encodeScaled(
  scaling: Scaling,
  settings: EncoderSettings,
  metadata: OutputMetadata,
): Promise<EncodedImage> {
  return encodeImage(openScaled(scaling), scaling.from, settings, metadata);
}

/** @param animation the frames with their delays and loop */
async function encodeImage(
  image: Sharp,
  animation: Pick<Pixels, 'frames' | 'delay' | 'loop'>,
  settings: EncoderSettings,
  metadata: OutputMetadata,
): Promise<EncodedImage> {
  const quality = applyFormat(image, animation, settings);
  const { format } = settings;
  const writer = METADATA_WRITERS[format];
  const written = { exif: writeExif(metadata), xmp: buildXmp(metadata) };
  const has = written.exif !== null || written.xmp !== null;
  if (written.xmp && writer && writer !== 'container') image.withXmp(written.xmp);
  // Longer than the block that replaces it.
  if (written.exif && writer === 'reserved')
    image.withExif({ IFD0: { ImageDescription: ' '.repeat(written.exif.length) } });
  const encoded = await image.toBuffer();
  // The encoder makes a still of an animation whose frames are all equal.
  const data = format === 'webp' && animation.frames > 1 ? await keepDuration(encoded, animation) : encoded;
  if (writer === null || writer === 'library' || !has) return { data, quality };
  // Not by the library, which converts `©` to `(C)` and `ö` to `o` and adds an orientation tag.
  const rewritten = rewriteContainer(format, data, written, true);
  if (!rewritten) throw new Error(`expected a ${format} that metadata can be written into`);
  return { data: rewritten, quality };
}

function applyFormat(
  image: Sharp,
  { delay, loop }: Pick<Pixels, 'delay' | 'loop'>,
  settings: EncoderSettings,
): number | 'lossless' {
  const animation = { ...(delay ? { delay } : {}), ...(loop === undefined ? {} : { loop }) };
  switch (settings.format) {
    case 'webp': {
      const { quality, effort, smartSubsample, lossless } = settings;
      // Lossless at effort 2 is within 5 % of 4 at two thirds of the time.
      image.webp({ ...(lossless ? { lossless, effort: 2 } : { quality, effort, smartSubsample }), ...animation });
      return lossless ? 'lossless' : quality;
    }
    case 'avif':
      image.avif({ quality: settings.quality, effort: settings.effort, chromaSubsampling: settings.chromaSubsampling });
      return settings.quality;
    case 'jpeg':
      image.flatten({ background: '#ffffff' });
      image.jpeg({ quality: settings.quality, chromaSubsampling: settings.chromaSubsampling, mozjpeg: true });
      return settings.quality;
    case 'png': {
      const { compressionLevel, adaptiveFiltering, colours, effort, exact } = settings;
      image.png({
        compressionLevel,
        adaptiveFiltering,
        ...(colours === null ? {} : { palette: true, colours, effort }),
      });
      return exact ? 'lossless' : (colours ?? 'lossless');
    }
    case 'gif':
      image.gif({ colours: settings.colours, effort: settings.effort, ...animation });
      return settings.colours;
    case 'tiff':
      image.tiff({ compression: 'deflate', predictor: 'horizontal' });
      return 'lossless';
  }
}

/** Makes an animation of the same duration of a WebP that became a still: two frames, of which the second is one equal pixel. */
async function keepDuration(file: Buffer, animation: Pick<Pixels, 'frames' | 'delay' | 'loop'>): Promise<Buffer> {
  if (!isStillWebp(file)) return file;
  const shown = shownDurations(animation.frames, animation.delay);
  const last = shown.at(-1) ?? 0;
  const first = sharp(file).extract({ left: 0, top: 0, width: 1, height: 1 });
  const pixel = await first.webp({ lossless: true, exact: true }).toBuffer();
  const durations = [shown.reduce((sum, one) => sum + one, -last), last] as const;
  return holdWebp(file, pixel, { durations, loop: animation.loop ?? 0 }) ?? file;
}

async function decodesTo(file: Buffer, pixels: Pixels): Promise<boolean> {
  const { data, info } = await sharp(file).raw().toBuffer({ resolveWithObject: true });
  const { channels } = info;
  return channels !== 2 && showsSame({ ...pixels, data, channels }, pixels);
}
