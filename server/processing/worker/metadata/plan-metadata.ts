import type { WarningCode } from '#contract';
import type { EncodedFormat } from '#contract/constants';
import { fateOf } from '../../shared/ledger.ts';
import type { OutputSettings } from '../../shared/protocol.ts';
import type { OutputMetadata } from '../steps/encode.ts';
import { buildXmp } from '../xmp.ts';
import { keptOf, type MetadataBlocks, readCarried } from './carried.ts';

/** Metadata to write with an image, and the kinds that are lost. */
export interface OutputPlan {
  metadata: OutputMetadata;
  /** Losses. */
  warnings: WarningCode[];
}

/** Plans by the ledger what outputs of a format say: what the level of `metadata` keeps of the upload, and the texts of the image. */
export function planMetadata(
  origin: MetadataBlocks,
  { metadata: level, embed }: Pick<OutputSettings, 'metadata' | 'embed'>,
  format: EncodedFormat,
): OutputPlan {
  const carried = readCarried(origin);
  const { exif, xmp, attribution } = keptOf(carried, format, level);
  const unreadable: WarningCode[] = carried.unreadable && level !== 'none' ? ['metadata_unreadable'] : [];
  const lost = carried.kinds.flatMap((kind): WarningCode[] => {
    const fate = fateOf(kind, format, level);
    return fate === 'kept' || fate === 'removed' ? [] : [fate];
  });
  if (xmp.size > 0 && buildXmp({ xmp }) === null) lost.push('metadata_not_written');
  return {
    metadata: { ...attribution, exif, xmp, ...embed },
    warnings: [...unreadable, ...lost],
  };
}
