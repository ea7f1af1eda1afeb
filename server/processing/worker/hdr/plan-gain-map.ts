import sharp from 'sharp';
import type { WarningCode } from '#contract';
import type { EncodedFormat, InputFormat, Preset } from '#contract/constants';
import { fateOf } from '../../shared/ledger.ts';
import { readItemTypes } from '../containers/avif.ts';
import { readBoxes } from '../containers/iso-boxes.ts';
import { rewriteContainer } from '../containers/rewrite.ts';
import { writeExif } from '../exif.ts';
import type { Pixels } from '../pixels.ts';
import type { OutputMetadata } from '../steps/encode.ts';
import type { Scaling } from '../steps/resize.ts';
import { buildXmp } from '../xmp.ts';
import {
  attachGainMap,
  encodeGainMap,
  furtherImages,
  type GainMap,
  gainMapDirectory,
  gainMapFile,
  readGainMap,
} from './gain-map.ts';

/** Outcome of the gain map of an image. */
export interface GainMapPlan {
  /** Adds the scaled map to an encoded variant; null: there is none to add. */
  attach: ((encoded: Buffer, scaling: Scaling | null) => Promise<Buffer>) | null;
  /** Adds the map as it is to the uploaded file's copy. @param tags EXIF and XMP of the copy */
  attachUnscaled: ((copy: Buffer, tags: OutputMetadata) => Buffer) | null;
  warnings: WarningCode[];
  /** Those of a file whose pixels are not encoded again. */
  warningsOfCopy: WarningCode[];
}

/** Context of a plan. */
interface GainMapOrder {
  /** Format of the upload. */
  input: InputFormat;
  format: EncodedFormat;
  preset: Preset;
  metadata: OutputMetadata;
  /** Orientation of the tag, which the decoded pixels do not have. */
  orientation: number | undefined;
  full: Pick<Pixels, 'width' | 'height'>;
  maxPixels: number;
}

const NO_MAP: GainMapPlan = { attach: null, attachUnscaled: null, warnings: [], warningsOfCopy: [] };
const LOST: GainMapPlan = { ...NO_MAP, warnings: ['hdr_dropped'], warningsOfCopy: ['hdr_dropped'] };

/** Plans by the ledger what becomes of the gain map of an upload; a damaged one, and one that cannot be written again, is dropped. */
export async function planGainMap(file: Buffer, order: GainMapOrder): Promise<GainMapPlan> {
  const map = order.input === 'jpeg' ? readGainMap(file) : null;
  // The copy of an AVIF keeps its pictures; that of a JPEG ends with the first one.
  if (!map && hasForeignGainMap(order.input, file))
    return order.input === 'avif' ? { ...LOST, warningsOfCopy: [] } : LOST;
  if (!map) return NO_MAP;
  const fate = fateOf('gain_map', order.format, 'none');
  if (fate !== 'kept' || !(await isDecodable(map, order.maxPixels))) return LOST;
  return {
    async attach(encoded, scaling) {
      const { preset, full, orientation, maxPixels } = order;
      const scaled = await encodeGainMap(map, { preset, full, scaling, orientation }, maxPixels);
      return joined(encoded, scaled, order.metadata);
    },
    attachUnscaled: (copy, tags) => joined(copy, map, tags),
    warnings: [],
    warningsOfCopy: [],
  };
}

async function isDecodable({ jpeg }: GainMap, maxPixels: number): Promise<boolean> {
  try {
    await sharp(jpeg, { failOn: 'error', limitInputPixels: maxPixels }).stats();
    return true;
  } catch {
    return false;
  }
}

/** Writes a photograph and its map into one file, with the photograph's metadata. */
function joined(photograph: Buffer, map: GainMap, metadata: OutputMetadata): Buffer {
  const second = gainMapFile(map);
  const gainMap = map.xmp ? gainMapDirectory(second.length) : undefined;
  const written = { exif: writeExif(metadata), xmp: buildXmp({ ...metadata, gainMap }) };
  const first = rewriteContainer('jpeg', photograph, written, true);
  if (!first) throw new Error('expected a JPEG that metadata can be written into');
  return attachGainMap(first, second, map.iso !== null);
}

/** Name of Apple's map from before ISO 21496-1, in XMP and in properties. */
const APPLE = 'urn:com:apple:photo:2020:aux:hdrgainmap';

/** Returns true if a file has a gain map of any kind. */
export function hasGainMap(format: InputFormat, file: Buffer): boolean {
  return (format === 'jpeg' && readGainMap(file) !== null) || hasForeignGainMap(format, file);
}

/** Returns true if a file has a gain map that is known and cannot be written again: Apple's older one, or one of an AVIF or HEIC. */
function hasForeignGainMap(format: InputFormat, file: Buffer): boolean {
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
