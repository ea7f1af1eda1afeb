import { readFile } from 'node:fs/promises';
import type { MetadataLevel } from '#contract/constants';
import type { SourceFacts, WorkerLimits } from '../../shared/protocol.ts';
import type { ContainerMetadata } from '../containers/container-metadata.ts';
import { shortenJpeg } from '../containers/jpeg.ts';
import { rewriteContainer } from '../containers/rewrite.ts';
import { writeExif } from '../exif.ts';
import { type Carried, readCarried } from '../metadata/carried.ts';
import { parseXmp } from '../metadata/parse-xmp.ts';
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
 * the upload it omits the texts and rights in XMP, then artist and copyright.
 * @returns null if the file's structure is not understood, so that no private data is delivered
 */
export async function keepOriginal(
  source: string,
  facts: SourceFacts,
  loaded: LoadedImage,
  metadata: OutputMetadata,
  { metadata: level, limits }: { metadata: MetadataLevel; limits: WorkerLimits },
): Promise<KeptFile | null> {
  const file = loaded.completed ?? (await readFile(source));
  const { orientation } = loaded;
  const full: ContainerMetadata = { exif: writeExif({ ...metadata, orientation }), xmp: buildXmp(metadata) };
  const bare = writeExif({ orientation });
  const tries = [full, { ...full, compact: true }, { ...full, xmp: null }, { exif: bare, xmp: null }];
  for (const written of tries) {
    const rewritten = rewriteContainer(facts.format, file, written, level !== 'none');
    if (!rewritten) return null;
    const data = loaded.completed ? shortenJpeg(rewritten, facts.size) : rewritten;
    if (data.length > facts.size) continue;
    if (!movesNothing(facts)) return { data, whole: saysAll(facts, full, written) };
    const again = await decodedAlike(data, facts, loaded, limits.maxPixels);
    return again && { data, whole: saysAsMuch(readCarried(again.origin), metadata) };
  }
  return null;
}

/** Returns true for containers that were zeroed in place; a decoder must confirm them, since their offsets may be wrong. */
function movesNothing({ format }: SourceFacts): boolean {
  return format === 'tiff' || format === 'avif';
}

/** Decodes the copy; null if its pixels differ. */
async function decodedAlike(
  data: Buffer,
  facts: SourceFacts,
  { pixels }: LoadedImage,
  maxPixels: number,
): Promise<LoadedImage | null> {
  try {
    const again = await loadImage(data, facts, pixels.frames > 1, maxPixels);
    const { width, height } = again.pixels;
    return width === pixels.width && height === pixels.height && showsSame(again.pixels, pixels) ? again : null;
  } catch {
    return null;
  }
}

function saysAll({ format }: SourceFacts, full: ContainerMetadata, written: ContainerMetadata): boolean {
  if (format === 'gif') return full.xmp === null && full.exif === null;
  return written.xmp === full.xmp && written.exif === full.exif;
}

/** Returns true if a file that keeps the places of its metadata says everything that should be written. */
function saysAsMuch(
  said: Carried,
  { artist, copyright, exif = [], xmp = new Map(), ...texts }: OutputMetadata,
): boolean {
  if ((artist && !said.attribution.artist) || (copyright && !said.attribution.copyright)) return false;
  const tags = new Set(said.exif.map(({ tag }) => tag));
  if (exif.some(({ tag }) => !tags.has(tag))) return false;
  const wanted = parseXmp(buildXmp({ xmp, ...texts }) ?? undefined) ?? [];
  const names = wanted.flatMap((description) => Object.keys(description)).filter((name) => !name.startsWith('@'));
  return names.every((name) => said.xmp.has(name));
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
