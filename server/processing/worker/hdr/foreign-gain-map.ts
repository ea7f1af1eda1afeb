import type { InputFormat } from '#contract/constants';
import { readItemTypes } from '../containers/avif.ts';
import { readBoxes } from '../containers/iso-boxes.ts';
import { furtherImages, readGainMap } from './gain-map.ts';

/** Name of Apple's map from before ISO 21496-1, in XMP and in properties. */
const APPLE = 'urn:com:apple:photo:2020:aux:hdrgainmap';

/** Returns true if a file has a gain map of any kind. */
export function hasGainMap(format: InputFormat, file: Buffer): boolean {
  return (format === 'jpeg' && readGainMap(file) !== null) || hasForeignGainMap(format, file);
}

/** Returns true if a file has a gain map that is known and cannot be written again: Apple's older one, or one of an AVIF or HEIC. */
export function hasForeignGainMap(format: InputFormat, file: Buffer): boolean {
  try {
    if (format === 'jpeg') return furtherImages(file).some((image) => image.subarray(0, 65_536).includes(APPLE));
    return (format === 'avif' || format === 'heic') && hasMapItem(file);
  } catch {
    // Offsets outside the file.
    return false;
  }
}

/** Finds an item of ISO 21496-1 (`tmap`), or an auxiliary image of Apple. */
function hasMapItem(file: Buffer): boolean {
  const meta = readBoxes(file, 0, file.length).find(({ type }) => type === 'meta');
  const inMeta = meta ? readBoxes(file, meta.start + 4, meta.end) : [];
  const [items, properties] = ['iinf', 'iprp'].map((name) => inMeta.find(({ type }) => type === name));
  if (items && [...readItemTypes(file, items).values()].includes('tmap')) return true;
  return properties !== undefined && file.subarray(properties.start, properties.end).includes(APPLE);
}
