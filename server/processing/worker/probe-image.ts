import { readFile } from 'node:fs/promises';
import type { Metadata } from 'sharp';
import type { WarningCode } from '#contract';
import { FORMATS, type InputFormat } from '#contract/constants';
import { ProcessingFailure } from '../shared/failure.ts';
import { decodedFrames } from '../shared/formats.ts';
import type { ProbeReport, ProbeTask, WorkerLimits } from '../shared/protocol.ts';
import { apngFrames } from './apng.ts';
import { isHeifSequence } from './colour/heif-colour.ts';
import { withGifTransparency } from './containers/whole-gif.ts';
import { detectFormat } from './detect.ts';
import { carriedKinds } from './metadata/carried-kinds.ts';
import { readHeader } from './open-source.ts';
import { hasValidCredentials } from './signing/plan-signing.ts';
import { tiffPages } from './tiff-pages.ts';

/** The library's error for a TIFF of 8-bit CIELAB, which it cannot open. */
const LAB_OF_8_BITS = /bad labq format/;

/**
 * Reads an image's header: type by content, size, pages, orientation. Decodes no pixels.
 * @throws unsupported_image | invalid_image | too_many_pixels | too_many_frames
 */
export async function probeImage({ file, limits, validatesCredentials = false }: ProbeTask): Promise<ProbeReport> {
  const format = await detectFormat(file, limits.formats);
  if (format === 'tiff') tiffPages(file, limits.formats);
  // Without the library's own limit, so that the message can name both numbers.
  const header = await readAnyHeader(file, format, limits);
  if (header.format !== (format === 'avif' || format === 'heic' ? 'heif' : format)) {
    throw new ProcessingFailure('invalid_image', `The file begins like ${format} but cannot be read as one`);
  }
  const pages = format === 'png' ? apngFrames(file) : (header.pages ?? 1);
  const frames = decodedFrames(format, pages);
  if (frames > limits.maxFrames) {
    const message = `The animation has ${frames} frames; at most ${limits.maxFrames} are accepted`;
    throw new ProcessingFailure('too_many_frames', message, { limit: limits.maxFrames, received: frames });
  }
  // Animations are not rotated, see the load step.
  const { width, height } =
    frames > 1 ? { width: header.width, height: header.pageHeight ?? header.height } : header.autoOrient;
  const pixels = width * height * frames;
  if (pixels > limits.maxPixels) {
    const over = frames > 1 ? ` over ${frames} frames` : '';
    const message = `The image has ${pixels} pixels (${width} x ${height}${over}); at most ${limits.maxPixels} are accepted`;
    throw new ProcessingFailure('too_many_pixels', message, { limit: limits.maxPixels, received: pixels });
  }
  const warnings: WarningCode[] = [];
  if ((format === 'tiff' || format === 'heic') && pages > 1) warnings.push('pages_dropped');
  const hasAlpha = header.hasAlpha || (format === 'gif' && withGifTransparency(await readFile(file)) !== null);
  const carries = await carriedKinds(file, format, header, pages);
  if (validatesCredentials && carries.includes('content_credentials')) {
    if (!(await hasValidCredentials(await readFile(file), format))) warnings.push('content_credentials_invalid');
  }
  return { format, width, height, hasAlpha, pages, carries, warnings };
}

async function readAnyHeader(file: string, format: InputFormat, { formats }: WorkerLimits): Promise<Metadata> {
  const unsupported = (message: string, detected: string) =>
    new ProcessingFailure('unsupported_image', message, { detected, supported: [...formats] });
  let header: Metadata;
  try {
    header = await readHeader(file, { failOn: 'error', limitInputPixels: false });
  } catch (error) {
    if (format === 'tiff' && error instanceof Error && LAB_OF_8_BITS.test(String(error.cause))) {
      const message = 'TIFF images of the colour space CIELAB are read with 16 bits alone; save the image as RGB';
      throw unsupported(message, 'tiff-lab');
    }
    if ((format !== 'avif' && format !== 'heic') || !isHeifSequence(file)) throw error;
    const message = `Animated ${FORMATS[format].label} images cannot be read; export the animation as WebP or GIF`;
    throw unsupported(message, `${format}-sequence`);
  }
  if (format !== 'heic' || header.compression === 'hevc') return header;
  throw unsupported('The HEIF image is not coded as HEVC, so it cannot be read; export it as JPEG', 'heif');
}
