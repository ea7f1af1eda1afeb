import type { InputFormat } from '#contract';
import { blankAvif } from './avif.ts';
import type { ContainerMetadata } from './container-metadata.ts';
import { rewriteGif } from './gif.ts';
import { rewriteJpeg } from './jpeg.ts';
import { rewritePng } from './png.ts';
import { blankTiff } from './tiff.ts';
import { rewriteWebp } from './webp.ts';

/**
 * Removes everything private from a file without changing its pixels, and writes the given metadata: into AVIF and TIFF as far as it
 * fits where the file has its own, into GIF not at all.
 * @param keepAttribution keeps a TIFF's own artist and copyright
 * @returns null if the file's structure is not understood, so that the file must not be delivered
 */
export function rewriteContainer(
  format: InputFormat,
  file: Buffer,
  metadata: ContainerMetadata,
  keepAttribution: boolean,
): Buffer | null {
  switch (format) {
    case 'jpeg':
      return rewriteJpeg(file, metadata);
    case 'png':
      return rewritePng(file, metadata);
    case 'webp':
      return rewriteWebp(file, metadata);
    case 'gif':
      return rewriteGif(file);
    case 'avif':
      return blankAvif(file, metadata);
    case 'tiff':
      return blankTiff(file, keepAttribution, metadata.xmp);
    case 'heic':
      // Never delivered.
      return null;
  }
}
