import { readFile } from 'node:fs/promises';
import { rewriteContainer } from '../containers/rewrite.ts';
import { writeExif } from '../exif.ts';
import type { SourceFacts } from '../worker-protocol.ts';
import { buildXmp } from '../xmp.ts';
import type { OutputMetadata } from './encode.ts';
import type { LoadedImage } from './load.ts';

/**
 * Takes the uploaded file's own pixels, without its private metadata and without re-encoding. Orientation stays a tag there.
 * @returns null when the file's structure is not understood, so that nothing private slips through
 */
export async function keepOriginal(
  source: string,
  facts: SourceFacts,
  loaded: LoadedImage,
  metadata: OutputMetadata,
  keepCopyright: boolean,
): Promise<Buffer | null> {
  const file = await readFile(source);
  const exif = writeExif({ ...metadata, orientation: loaded.orientation });
  const { artist, copyright, ...texts } = metadata;
  for (const xmp of [buildXmp(texts), null]) {
    const kept = rewriteContainer(facts.format, file, { exif, xmp }, keepCopyright);
    // Alt text is not worth a file larger than the upload.
    if (kept && kept.length <= file.length) return kept;
  }
  return null;
}

/** GIF and animated PNG are kept without trying: re-encoding them costs seconds, loses colours or frames and gains next to nothing. */
export function isAlwaysKept({ format, pages }: Pick<SourceFacts, 'format' | 'pages'>): boolean {
  return format === 'gif' || (format === 'png' && pages > 1);
}

/**
 * True when the kept file is delivered instead of the encoded one: it is not larger. CMYK is the exception, for it should become
 * sRGB: there the encoded file is delivered unless it is larger than the upload itself.
 */
export function prefersKept(keptBytes: number, encodedBytes: number, uploadBytes: number, cmyk: boolean): boolean {
  return cmyk ? encodedBytes > uploadBytes : keptBytes <= encodedBytes;
}
