import { Schema } from 'mongoose';
import type { InputFormat, LanguageTexts, Metadata, Warning } from '#contract';
import type { InformationKind } from '#contract/constants';

/** Texts beside the metadata, which are those of the `first` language, by language tag (BCP 47, canonical form). */
export interface OtherTexts {
  first: string;
  others: Record<string, LanguageTexts>;
}

/** An uploaded image as stored. */
export interface ImageRecord {
  _id: string;
  accountId: string;
  sessionId: string;
  /** Place in the session, from 0: as the caller says, else by arrival. */
  position: number;
  originalFilename: string;
  /** Key of the file in the store; opaque to callers. */
  uploadPath: string;
  mimeType: string;
  format: InputFormat;
  size: number;
  width: number;
  height: number;
  hasAlpha: boolean;
  pages: number;
  sha256: string;
  clientRef: string | null;
  /** Kinds of information in the file. Absent: the image was uploaded to an older version. */
  carries?: InformationKind[];
  warnings: Warning[];
  metadata: Metadata | null;
  /** Absent: there are texts in one language alone. */
  texts?: OtherTexts;
  /** Version of metadata and texts, for optimistic locking. */
  metadataVersion: number;
  /** Count of edits of the file name by a person. Absent: never. */
  renames?: number;
}

/** Schema of {@link ImageRecord}. */
export const imageSchema = new Schema<ImageRecord>(
  {
    _id: { type: String, required: true },
    accountId: { type: String, required: true },
    sessionId: { type: String, required: true },
    position: { type: Number, required: true },
    originalFilename: { type: String, required: true },
    uploadPath: { type: String, required: true },
    mimeType: { type: String, required: true },
    format: { type: String, required: true },
    size: { type: Number, required: true },
    width: { type: Number, required: true },
    height: { type: Number, required: true },
    hasAlpha: { type: Boolean, required: true },
    pages: { type: Number, required: true },
    sha256: { type: String, required: true },
    clientRef: { type: String, default: null },
    carries: { type: [String], default: undefined },
    warnings: { type: Schema.Types.Mixed, default: [] },
    metadata: { type: Schema.Types.Mixed, default: null },
    texts: { type: Schema.Types.Mixed },
    metadataVersion: { type: Number, required: true },
    renames: { type: Number },
  },
  { collection: 'images', versionKey: false, minimize: false },
)
  .index({ sessionId: 1, position: 1 })
  .index({ accountId: 1, sha256: 1 });
