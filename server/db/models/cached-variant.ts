import { Schema } from 'mongoose';
import type { EncodedFormat, Warning } from '#contract';

/** A cached variant: an encoded file that can be delivered again. */
export interface CachedVariantRecord {
  /** Hash of everything that determines the bytes. */
  _id: string;
  accountId: string;
  /** Hash of the source upload. */
  sourceSha256: string;
  /** Key of the file in the store. */
  path: string;
  size: number;
  width: number;
  height: number;
  format: EncodedFormat;
  mimeType: string;
  sha256: string;
  quality: number | 'lossless' | null;
  /** SSIMULACRA2 score; null: not measured. */
  score: number | null;
  /** False if the format cannot reach the preset's target. */
  reached: boolean;
  keptOriginal: boolean;
  warnings: Warning[];
  /** True until it was paid for, or counted as a sample of the day. */
  isUncounted?: boolean;
  usedAt: Date;
}

/** Schema of {@link CachedVariantRecord}. */
export const cachedVariantSchema = new Schema<CachedVariantRecord>(
  {
    _id: { type: String, required: true },
    accountId: { type: String, required: true },
    sourceSha256: { type: String, required: true },
    path: { type: String, required: true },
    size: { type: Number, required: true },
    width: { type: Number, required: true },
    height: { type: Number, required: true },
    format: { type: String, required: true },
    mimeType: { type: String, required: true },
    sha256: { type: String, required: true },
    quality: { type: Schema.Types.Mixed, default: null },
    score: { type: Number, default: null },
    reached: { type: Boolean, default: true },
    keptOriginal: { type: Boolean, required: true },
    warnings: { type: Schema.Types.Mixed, default: [] },
    isUncounted: { type: Boolean },
    usedAt: { type: Date, required: true },
  },
  { collection: 'variants', versionKey: false },
)
  .index({ usedAt: 1 })
  .index({ accountId: 1, sourceSha256: 1 });
