import { readFile } from 'node:fs/promises';
import type { SourceFacts, WorkerLimits } from '../../shared/protocol.ts';
import type { ContainerMetadata } from '../containers/container-metadata.ts';
import { rewriteContainer } from '../containers/rewrite.ts';
import { readExif, writeExif } from '../exif.ts';
import { buildXmp } from '../xmp.ts';
import type { OutputMetadata } from './encode.ts';
import { type LoadedImage, loadImage } from './load.ts';
import { showsSame } from './pixel-statistics.ts';

/** The upload's own pixels without what is private. */
export interface KeptFile {
  data: Buffer;
  /** The texts, the artist and the copyright that should be there are there. */
  whole: boolean;
}

/**
 * Takes the uploaded file's own pixels, without its private metadata and without re-encoding. Orientation stays a tag there. Never
 * more bytes than the upload: above that it does without the texts, then without artist and copyright.
 * @returns null when the file's structure is not understood, so that nothing private slips through
 */
export async function keepOriginal(
  source: string,
  facts: SourceFacts,
  loaded: LoadedImage,
  metadata: OutputMetadata,
  { keepCopyright, limits }: { keepCopyright: boolean; limits: WorkerLimits },
): Promise<KeptFile | null> {
  const file = await readFile(source);
  const { orientation } = loaded;
  const { artist, copyright, ...texts } = metadata;
  const full: ContainerMetadata = { exif: writeExif({ ...metadata, orientation }), xmp: buildXmp(texts) };
  const bare = writeExif({ orientation });
  for (const written of [full, { ...full, xmp: null }, { exif: bare, xmp: null }]) {
    const data = rewriteContainer(facts.format, file, written, keepCopyright);
    if (!data) return null;
    if (data.length > file.length) continue;
    if (movesNothing(facts) && !(await decodesAlike(data, facts, loaded, limits.maxPixels))) return null;
    return { data, whole: saysAll(facts, loaded, metadata, full, written) };
  }
  return null;
}

/** True for the containers that were zeroed in place: their offsets may lie, and a decoder has the last word. */
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
  // A TIFF keeps its own two tags, and gets no others.
  const own = readExif(origin.exif);
  return full.xmp === null && (!artist || own.artist !== undefined) && (!copyright || own.copyright !== undefined);
}

/** GIF and animated PNG are kept without trying: re-encoding them costs seconds, loses colours or frames and gains next to nothing. */
export function isAlwaysKept({ format, pages }: Pick<SourceFacts, 'format' | 'pages'>): boolean {
  return format === 'gif' || (format === 'png' && pages > 1);
}

/**
 * True when the kept file is delivered instead of the encoded one: it is not larger. Two exceptions, where the encoded file is
 * delivered unless it is larger than the upload itself: CMYK, for it should become sRGB, and a kept file that cannot take the texts,
 * the artist or the copyright.
 */
export function prefersKept(kept: KeptFile, encodedBytes: number, uploadBytes: number, cmyk: boolean): boolean {
  return cmyk || !kept.whole ? encodedBytes > uploadBytes : kept.data.length <= encodedBytes;
}
