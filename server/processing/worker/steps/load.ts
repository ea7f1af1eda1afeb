import { readFile } from 'node:fs/promises';
import sharp, { type Metadata } from 'sharp';
import type { WarningCode } from '#contract';
import { ProcessingFailure, readSource } from '../../shared/failure.ts';
import { decodedFrames } from '../../shared/formats.ts';
import type { SourceFacts } from '../../shared/protocol.ts';
import type { AttributionBlocks } from '../attribution.ts';
import { isSrgbProfile } from '../icc-profile.ts';
import { openPixels, type Pixels } from '../pixels.ts';

/** A decoded source with its properties and warnings. */
export interface LoadedImage {
  pixels: Pixels;
  /** Blocks that may contain author and copyright. */
  origin: AttributionBlocks;
  /** Orientation tag of the file; the pixels are upright. */
  orientation: number | undefined;
  /** True if the file's colours are CMYK. */
  cmyk: boolean;
  warnings: WarningCode[];
}

/**
 * Decodes a file once: upright, sRGB through the embedded profile, 8 bits, grey kept as one channel.
 * @param source a path, or the file's bytes
 * @param animated keeps all frames of an animated GIF or WebP, otherwise the first one
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
  const options = {
    // The default, 'warning', refuses harmless files; 'none' accepts damaged ones.
    failOn: 'error' as const,
    limitInputPixels: maxPixels,
    limitInputChannels: 5,
    pages: frames,
  };
  const header = await readSource(() => sharp(source, options).metadata());
  const grey = (header.space === 'b-w' || header.space === 'grey16') && !header.hasAlpha;
  const image = sharp(source, options);
  // The orientation of an animation cannot be changed frame by frame, and no camera writes one.
  if (decodedFrames(facts.format, facts.pages) === 1) image.autoOrient();
  const decoding = image.toColourspace(grey ? 'b-w' : 'srgb').raw({ depth: 'uchar' });
  const { data, info } = await readSource(() => decoding.toBuffer({ resolveWithObject: true }));
  if (info.channels === 2) throw new ProcessingFailure('invalid_image', 'The file has an unusual number of channels');
  const pixels: Pixels = {
    data,
    width: info.width,
    height: info.pageHeight ?? info.height,
    channels: info.channels,
    frames: info.pages ?? 1,
    ...(frames > 1 ? { delay: header.delay ?? [], loop: header.loop ?? 0 } : {}),
  };
  return {
    pixels: await withoutOpaqueAlpha(pixels),
    origin: {
      // A TIFF has the structure of EXIF; its first directory contains the author.
      exif: facts.format === 'tiff' ? await bytesOf(source) : header.exif,
      xmp: header.xmpAsString,
      iptc: header.iptc,
    },
    orientation: header.orientation,
    cmyk: header.space === 'cmyk',
    warnings: noticed(header),
  };
}

async function bytesOf(source: string | Buffer): Promise<Buffer> {
  return typeof source === 'string' ? readFile(source) : source;
}

function noticed(header: Metadata): WarningCode[] {
  const warnings: WarningCode[] = [];
  if (header.space === 'cmyk') warnings.push('cmyk_converted');
  else if (header.icc && !isSrgbProfile(header.icc)) warnings.push('colour_converted');
  if (header.depth !== 'uchar' || (header.bitsPerSample ?? 8) > 8) warnings.push('depth_reduced');
  return warnings;
}

/** Removes an opaque alpha channel, which costs bytes in every format and would cause a warning in JPEG. */
async function withoutOpaqueAlpha(pixels: Pixels): Promise<Pixels> {
  if (pixels.channels !== 4) return pixels;
  for (let at = 3; at < pixels.data.length; at += 4) if (pixels.data[at] !== 255) return pixels;
  const { data } = await openPixels(pixels).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  return { ...pixels, data, channels: 3 };
}
