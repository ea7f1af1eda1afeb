import { readFile } from 'node:fs/promises';
import type { Metadata } from 'sharp';
import type { InformationKind, InputFormat } from '#contract/constants';
import { FORMATS } from '#contract/constants';
import { withoutCredentials } from '../containers/credentials.ts';
import { readGifXmp } from '../containers/gif.ts';
import { hasGainMap } from '../hdr/foreign-gain-map.ts';
import { isSrgbProfile } from '../icc-profile.ts';
import { readCarried } from './carried.ts';

/** Lists what a file carries beside its pixels, in the order of the ledger. */
export async function carriedKinds(
  file: string,
  format: InputFormat,
  header: Metadata,
  pages: number,
): Promise<InformationKind[]> {
  const bytes = await readFile(file);
  // A TIFF has the structure of EXIF.
  const exif = format === 'tiff' ? bytes : header.exif;
  const xmp = format === 'gif' ? readGifXmp(bytes) : header.xmpAsString;
  const { kinds } = readCarried({ exif, xmp, iptc: header.iptc });
  if (withoutCredentials(format, bytes)) kinds.push('content_credentials');
  if (hasGainMap(format, bytes)) kinds.push('gain_map');
  if (header.icc && !isSrgbProfile(header.icc)) kinds.push('icc_profile');
  if (header.depth !== 'uchar' || (header.bitsPerSample ?? 8) > 8) kinds.push('depth');
  if (header.hasAlpha) kinds.push('alpha');
  if (pages > 1) kinds.push(FORMATS[format].animated || format === 'png' ? 'animation' : 'pages');
  return kinds;
}
