import { readFile } from 'node:fs/promises';
import type { Metadata } from 'sharp';
import type { InformationKind, InputFormat } from '#contract/constants';
import { FORMATS } from '#contract/constants';
import { readGifXmp } from '../containers/gif.ts';
import { isSrgbProfile } from '../icc-profile.ts';
import { readCarried } from './carried.ts';

/** Lists what a file carries beside its pixels, in the order of the ledger. */
export async function carriedKinds(
  file: string,
  format: InputFormat,
  header: Metadata,
  pages: number,
): Promise<InformationKind[]> {
  // A TIFF has the structure of EXIF.
  const exif = format === 'tiff' ? await readFile(file) : header.exif;
  const xmp = format === 'gif' ? readGifXmp(await readFile(file)) : header.xmpAsString;
  const { kinds } = readCarried({ exif, xmp, iptc: header.iptc });
  if (header.icc && !isSrgbProfile(header.icc)) kinds.push('icc_profile');
  if (header.depth !== 'uchar' || (header.bitsPerSample ?? 8) > 8) kinds.push('depth');
  if (header.hasAlpha) kinds.push('alpha');
  if (pages > 1) kinds.push(FORMATS[format].animated || format === 'png' ? 'animation' : 'pages');
  return kinds;
}
