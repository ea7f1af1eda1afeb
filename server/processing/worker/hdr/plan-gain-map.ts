import sharp from 'sharp';
import type { WarningCode } from '#contract';
import type { EncodedFormat, Preset } from '#contract/constants';
import { fateOf } from '../../shared/ledger.ts';
import { rewriteContainer } from '../containers/rewrite.ts';
import { writeExif } from '../exif.ts';
import type { Pixels } from '../pixels.ts';
import type { OutputMetadata } from '../steps/encode.ts';
import type { Scaling } from '../steps/resize.ts';
import { buildXmp } from '../xmp.ts';
import { attachGainMap, encodeGainMap, type GainMap, gainMapDirectory, gainMapFile, readGainMap } from './gain-map.ts';

/** Outcome of the gain map of an image. */
export interface GainMapPlan {
  /** Adds the scaled map to an encoded variant; null: there is none to add. */
  attach: ((encoded: Buffer, scaling: Scaling | null) => Promise<Buffer>) | null;
  /** Adds the map as it is to the uploaded file's copy. @param tags EXIF and XMP of the copy */
  attachUnscaled: ((copy: Buffer, tags: OutputMetadata) => Buffer) | null;
  warnings: WarningCode[];
}

/** Context of a plan. */
interface GainMapOrder {
  format: EncodedFormat;
  preset: Preset;
  metadata: OutputMetadata;
  /** Orientation of the tag, which the decoded pixels do not have. */
  orientation: number | undefined;
  full: Pick<Pixels, 'width' | 'height'>;
  maxPixels: number;
}

const NO_MAP: GainMapPlan = { attach: null, attachUnscaled: null, warnings: [] };

/** Plans by the ledger what becomes of the gain map of a JPEG; a damaged map is dropped. */
export async function planGainMap(file: Buffer, order: GainMapOrder): Promise<GainMapPlan> {
  const map = readGainMap(file);
  if (!map) return NO_MAP;
  const fate = fateOf('gain_map', order.format, 'none');
  if (fate !== 'kept' || !(await isDecodable(map, order.maxPixels))) return { ...NO_MAP, warnings: ['hdr_dropped'] };
  return {
    async attach(encoded, scaling) {
      const { preset, full, orientation, maxPixels } = order;
      const scaled = await encodeGainMap(map, { preset, full, scaling, orientation }, maxPixels);
      return joined(encoded, scaled, order.metadata);
    },
    attachUnscaled: (copy, tags) => joined(copy, map, tags),
    warnings: [],
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
