import { basename, extname } from 'node:path';

/** Longest stem: leaves room for a width, a hash and an extension below the 255 bytes of file systems. */
const MAX_LENGTH = 200;

/** Returns the name of a file without its extension, as it may stand in `srcset` and before a hash: ASCII without spaces and commas. */
export function assetStem(file: string): string {
  return basename(file, extname(file))
    .replace(/[^\w.-]+/g, '-')
    .slice(0, MAX_LENGTH);
}
