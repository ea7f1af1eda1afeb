import { readFile } from 'node:fs/promises';
import type { SourceFacts, WorkerLimits } from '../../shared/protocol.ts';
import type { ContainerMetadata } from '../containers/container-metadata.ts';
import { shortenJpeg } from '../containers/jpeg.ts';
import { rewriteContainer } from '../containers/rewrite.ts';
import { readExif, writeExif } from '../exif.ts';
import { buildXmp } from '../xmp.ts';
import type { OutputMetadata } from './encode.ts';
import { type LoadedImage, loadImage } from './load.ts';
import { showsSame } from './pixel-statistics.ts';

/** The uploaded file without its private data. */
export interface KeptFile {
  data: Buffer;
  /** True if it contains all requested texts, artist and copyright. */
  whole: boolean;
}

/**
 * Copies the uploaded file without its private metadata and without re-encoding; orientation stays a tag. To stay within the bytes of
 * the upload it omits the texts, then artist and copyright.
 * @returns null if the file's structure is not understood, so that no private data is delivered
 */
export async function keepOriginal(
  source: string,
  facts: SourceFacts,
  loaded: LoadedImage,
  metadata: OutputMetadata,
  { keepCopyright, limits }: { keepCopyright: boolean; limits: WorkerLimits },
): Promise<KeptFile | null> {
  const file = loaded.completed ?? (await readFile(source));
  const { orientation } = loaded;
  const { artist, copyright, ...texts } = metadata;
  const full: ContainerMetadata = { exif: writeExif({ ...metadata, orientation }), xmp: buildXmp(texts) };
  const bare = writeExif({ orientation });
  for (const written of [full, { ...full, xmp: null }, { exif: bare, xmp: null }]) {
    const rewritten = rewriteContainer(facts.format, file, written, keepCopyright);
    if (!rewritten) return null;
    const data = loaded.completed ? shortenJpeg(rewritten, facts.size) : rewritten;
    if (data.length > facts.size) continue;
    if (movesNothing(facts) && !(await decodesAlike(data, facts, loaded, limits.maxPixels))) return null;
    return { data, whole: saysAll(facts, loaded, metadata, full, written) };
  }
  return null;
}

/** Returns true for containers that were zeroed in place; a decoder must confirm them, since their offsets may be wrong. */
function movesNothing({ format }: SourceFacts): boolean {
  return format === 'tiff' || format === 'avif';
}

async function decodesAlike(
  data: Buffer,
  facts: SourceFacts,
  { pixels }: LoadedImage,
  maxPixels: number,
): Promise<boolean> {
  try {
    const again = await loadImage(data, facts, pixels.frames > 1, maxPixels);
    const { width, height } = again.pixels;
    return width === pixels.width && height === pixels.height && showsSame(again.pixels, pixels);
  } catch {
    return false;
  }
}

function saysAll(
  { format }: SourceFacts,
  { origin }: LoadedImage,
  { artist, copyright }: OutputMetadata,
  full: ContainerMetadata,
  written: ContainerMetadata,
): boolean {
  if (format === 'gif' || format === 'avif') return !artist && !copyright && full.xmp === null;
  if (format !== 'tiff') return written.xmp === full.xmp && written.exif === full.exif;
  // A TIFF keeps its own artist and copyright and gets no other metadata.
  const own = readExif(origin.exif);
  return full.xmp === null && (!artist || own.artist !== undefined) && (!copyright || own.copyright !== undefined);
}

/** Returns true for GIF and animated PNG: re-encoding them takes seconds, loses colours or frames and saves almost nothing. */
export function isAlwaysKept({ format, pages }: Pick<SourceFacts, 'format' | 'pages'>): boolean {
  return format === 'gif' || (format === 'png' && pages > 1);
}

/**
 * Returns true if the kept file is delivered, because it is not larger than the encoded one. CMYK, and a kept file that lacks texts,
 * artist or copyright, is delivered encoded unless that is larger than the upload.
 */
export function prefersKept(kept: KeptFile, encodedBytes: number, uploadBytes: number, cmyk: boolean): boolean {
  return cmyk || !kept.whole ? encodedBytes > uploadBytes : kept.data.length <= encodedBytes;
}
