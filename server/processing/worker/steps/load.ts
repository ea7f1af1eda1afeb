import type { Metadata } from 'sharp';
import type { WarningCode } from '#contract';
import type { SourceFacts } from '../../shared/variants.ts';
import { decodedFrames } from '../../shared/variants.ts';
import { isHeifSequence } from '../colour/heif-colour.ts';
import { readApng } from '../containers/apng.ts';
import { type MetadataBlocks, readBlocks } from '../metadata/read-blocks.ts';
import { bytesOf, decodeApng, type OpenSource, openImage, openSource, readPixels, turned } from '../open-source.ts';
import { openPixels, type Pixels } from '../pixels.ts';

/** A decoded source with its properties and warnings. */
export interface LoadedImage {
  pixels: Pixels;
  /** Blocks of metadata. */
  origin: MetadataBlocks;
  /** Orientation tag of the file; the pixels are upright. */
  orientation: number | undefined;
  /** The bytes of a JPEG whose end marker was missing, with it. */
  completed: Buffer | undefined;
  /** True if the file's colours are CMYK. */
  cmyk: boolean;
  warnings: WarningCode[];
}

/**
 * Decodes a file once: upright, sRGB through the embedded profile, 8 bits, grey kept as one channel.
 * @param source a path, or the file's bytes
 * @param animated keeps all frames of an animated GIF, WebP or PNG, otherwise the first one
 * @param maxPixels limit over all frames; a second check after that of the header
 * @throws invalid_image | too_many_pixels
 */
export async function loadImage(
  source: string | Buffer,
  facts: Pick<SourceFacts, 'format' | 'pages'>,
  animated: boolean,
  maxPixels: number,
): Promise<LoadedImage> {
  const frames = animated ? facts.pages : 1;
  const opened = await openSource(source, facts.format, {
    // The default, 'warning', refuses harmless files; 'none' accepts damaged ones.
    failOn: 'error',
    limitInputPixels: maxPixels,
    limitInputChannels: 5,
    pages: facts.format === 'png' ? 1 : frames,
  });
  const { header } = opened;
  const bytes = await bytesOf(source);
  const apng = facts.format === 'png' && frames > 1 ? readApng(bytes, frames) : null;
  // The orientation of an animation cannot be changed frame by frame, and no camera writes one.
  const isStill = decodedFrames(facts.format, facts.pages) === 1;
  const image = isStill ? turned(openImage(opened), opened) : openImage(opened);
  const pixels: Pixels = apng
    ? await decodeApng(apng, opened.options)
    : { ...(await readPixels(image, opened)), ...(frames > 1 ? timing(header) : {}) };
  return {
    pixels: await withoutOpaqueAlpha(pixels),
    origin: readBlocks(facts.format, bytes, header),
    orientation: header.orientation,
    completed: opened.completed,
    cmyk: header.space === 'cmyk',
    warnings: [...noticed(opened), ...droppedSequence(source, facts)],
  };
}

/** Longest delay and most repetitions that the encoders take; a GIF may say more. */
const MOST_TIMING = 65_535;

function timing({ delay = [], loop = 0 }: Metadata): Pick<Pixels, 'delay' | 'loop'> {
  return { delay: delay.map((one) => Math.min(one, MOST_TIMING)), loop: Math.min(loop, MOST_TIMING) };
}

function noticed({ header, colour }: OpenSource): WarningCode[] {
  const isDeep = header.depth !== 'uchar' || (header.bitsPerSample ?? 8) > 8;
  return isDeep ? [...colour.warnings, 'depth_reduced'] : [...colour.warnings];
}

/** Of an animated AVIF or HEIC the picture that stands for it is read. */
function droppedSequence(source: string | Buffer, { format }: Pick<SourceFacts, 'format'>): WarningCode[] {
  return (format === 'avif' || format === 'heic') && isHeifSequence(source) ? ['animation_dropped'] : [];
}

/** Removes an opaque alpha channel, which costs bytes in every format and would cause a warning in JPEG. */
async function withoutOpaqueAlpha(pixels: Pixels): Promise<Pixels> {
  if (pixels.channels !== 4) return pixels;
  for (let at = 3; at < pixels.data.length; at += 4) if (pixels.data[at] !== 255) return pixels;
  const { data } = await openPixels(pixels).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  return { ...pixels, data, channels: 3 };
}
