import type { WarningCode } from '#contract';
import type { MetadataLevel } from '#contract/constants';
import type { WorkerLimits } from '../../shared/protocol.ts';
import type { SourceFacts } from '../../shared/variants.ts';
import type { ContainerMetadata } from '../containers/container-metadata.ts';
import { shortenJpeg } from '../containers/jpeg.ts';
import { rewriteContainer } from '../containers/rewrite.ts';
import { writeExif } from '../exif.ts';
import type { GainMapPlan } from '../hdr/plan-gain-map.ts';
import { type Carried, readCarried } from '../metadata/carried.ts';
import { readCredentialContent } from '../metadata/credential-kinds.ts';
import { parseXmp } from '../metadata/parse-xmp.ts';
import type { MetadataBlocks } from '../metadata/read-blocks.ts';
import { buildXmp } from '../xmp.ts';
import type { OutputMetadata } from './encode.ts';
import { type LoadedImage, loadImage } from './load.ts';
import { showsSame } from './pixel-statistics.ts';

/** The uploaded file without its private data. */
export interface KeptFile {
  data: Buffer;
  /** True if it contains all requested texts, artist and copyright. */
  holdsTexts: boolean;
  /** False for the upload as it is, with its content credentials. */
  touched: boolean;
  warnings: WarningCode[];
}

/** The uploaded file. */
interface Upload {
  file: Buffer;
  /** Without content credentials; null: it has none. */
  bare: Buffer | null;
  map: Pick<GainMapPlan, 'attachUnscaled'>;
}

/**
 * Copies the uploaded file without its private metadata and without re-encoding; orientation stays a tag. To stay within the bytes of
 * the upload it omits the texts and rights in XMP, then artist and copyright.
 * @returns null if the file's structure is not understood, so that no private data is delivered
 */
export async function keepOriginal(
  { file: upload, bare: unsigned, map }: Upload,
  facts: SourceFacts,
  loaded: LoadedImage,
  metadata: OutputMetadata,
  { metadata: level, limits }: { metadata: MetadataLevel; limits: WorkerLimits },
): Promise<KeptFile | null> {
  const { orientation, origin } = loaded;
  const isPublic = unsigned !== null && level !== 'none' && !readCredentialContent(facts.format, upload).isPrivate;
  if (isPublic && isUntouched(unsigned, facts, origin) && isEmpty(metadata)) {
    return { data: upload, holdsTexts: true, touched: false, warnings: [] };
  }
  const file = loaded.completed ?? upload;
  const full: ContainerMetadata = { exif: writeExif({ ...metadata, orientation }), xmp: buildXmp(metadata) };
  const bare = writeExif({ orientation });
  const tries = [full, { ...full, compact: true }, { ...full, xmp: null }, { exif: bare, xmp: null }];
  for (const written of tries) {
    const bareCopy = rewriteContainer(facts.format, file, written, level !== 'none');
    if (!bareCopy) return null;
    const tags = written.xmp ? metadata : written.exif === bare ? {} : { ...metadata, xmp: undefined };
    const joined = map.attachUnscaled ? map.attachUnscaled(bareCopy, { ...tags, orientation }) : bareCopy;
    const data = loaded.completed ? shortenJpeg(joined, facts.size) : joined;
    if (data.length > facts.size) continue;
    if (!movesNothing(facts)) return { data, holdsTexts: saysAll(facts, full, written), touched: true, warnings: [] };
    const again = await decodedAlike(data, facts, loaded, limits.maxPixels);
    return again && { data, holdsTexts: saysAsMuch(readCarried(again.origin), metadata), touched: true, warnings: [] };
  }
  return null;
}

/** Returns true if a file has nothing that would be removed. @param unsigned the file without content credentials */
function isUntouched(unsigned: Buffer, { format }: SourceFacts, { exif, xmp, iptc }: MetadataBlocks): boolean {
  if (exif || xmp || iptc) return false;
  return rewriteContainer(format, unsigned, { exif: null, xmp: null }, true)?.equals(unsigned) ?? false;
}

function isEmpty(metadata: OutputMetadata): boolean {
  return writeExif(metadata) === null && buildXmp(metadata) === null;
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
  return cmyk || !kept.holdsTexts ? encodedBytes > uploadBytes : kept.data.length <= encodedBytes;
}
