import { Schema } from 'mongoose';

/** One exported file of an {@link OutputRecord}. */
export interface OutputFile {
  variant: string;
  filename: string;
  /** Key of the file in the store. */
  path: string;
  size: number;
  width: number;
  height: number;
  mimeType: string;
  sha256: string;
}

/** The files that one image has in one namespace for one set of settings. */
export interface OutputRecord {
  /** `<namespace>:<imageId>:<hash of the settings>`. */
  _id: string;
  accountId: string;
  sessionId: string;
  namespace: string;
  /** Keys of all file names; unique in the namespace, so that one write reserves all or none. */
  names: string[];
  files: OutputFile[];
  /** Ids of the cached variants that the files were made as; equal ones share a file. Absent: an earlier version. */
  contents?: string[];
  updatedAt: Date;
}

/** Schema of {@link OutputRecord}. */
export const outputSchema = new Schema<OutputRecord>(
  {
    _id: { type: String, required: true },
    accountId: { type: String, required: true },
    sessionId: { type: String, required: true },
    namespace: { type: String, required: true },
    names: { type: [String], required: true },
    files: { type: Schema.Types.Mixed, required: true },
    contents: { type: [String] },
    updatedAt: { type: Date, required: true },
  },
  { collection: 'outputs', versionKey: false },
)
  .index({ namespace: 1, names: 1 }, { unique: true })
  .index({ sessionId: 1, contents: 1 })
  .index({ contents: 1 });
