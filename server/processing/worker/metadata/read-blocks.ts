import type { Metadata } from 'sharp';
import type { InputFormat } from '#contract/constants';
import { readGifXmp } from '../containers/gif.ts';
import { type PngText, pngBlocks, readPngTexts } from '../containers/png-texts.ts';

/** Blocks of a file that hold metadata. */
export interface MetadataBlocks {
  exif: Buffer | undefined;
  xmp: string | undefined;
  iptc: Buffer | undefined;
  /** Texts of a PNG. */
  texts?: PngText[] | undefined;
}

/** Finds the blocks of a file that hold metadata. What the image library does not read comes from the bytes. */
export function readBlocks(
  format: InputFormat,
  bytes: Buffer,
  { exif, xmpAsString, iptc }: Pick<Metadata, 'exif' | 'xmpAsString' | 'iptc'>,
): MetadataBlocks {
  // A TIFF has the structure of EXIF; its first directory contains the author.
  if (format === 'tiff') return { exif: bytes, xmp: xmpAsString, iptc };
  if (format === 'gif') return { exif, xmp: readGifXmp(bytes), iptc };
  if (format !== 'png') return { exif, xmp: xmpAsString, iptc };
  const texts = readPngTexts(bytes);
  const inTexts = pngBlocks(texts);
  return { exif: exif ?? inTexts.exif, xmp: xmpAsString ?? inTexts.xmp, iptc: iptc ?? inTexts.iptc, texts };
}
