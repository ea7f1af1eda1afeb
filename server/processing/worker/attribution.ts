import { type Attribution, readExif } from './exif.ts';
import { readIptcAttribution } from './inspect/read-iptc.ts';
import { readXmpAttribution } from './inspect/read-xmp.ts';

const MAX_CHARACTERS = 1024;

/** Blocks of a file that may contain author and copyright. */
export interface AttributionBlocks {
  exif: Buffer | undefined;
  xmp: string | undefined;
  iptc: Buffer | undefined;
}

/** Reads artist and copyright: from EXIF, else from XMP (`dc:creator`, `dc:rights`), else from IPTC (2:80, 2:116). */
export function readAttribution({ exif, xmp, iptc }: AttributionBlocks): Attribution {
  const sources = [readExif(exif), readXmpAttribution(xmp), readIptcAttribution(iptc)];
  const found: Attribution = {};
  for (const field of ['artist', 'copyright'] as const) {
    const text = sources.find((source) => source[field])?.[field]?.slice(0, MAX_CHARACTERS);
    if (text) found[field] = text;
  }
  return found;
}
