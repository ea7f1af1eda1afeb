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
  /** Counts the writes of the record. Absent: an earlier version. */
  version?: number;
  /** True for files that were renamed after their export. */
  renamed?: true;
  /** Names that the files had before, oldest first. They stay reserved and lead to the files. */
  former?: FormerName[];
}

/** A name that a file had before it was renamed. */
export interface FormerName {
  filename: string;
  /** Key of the name; also in `names`. */
  key: string;
  variant: string;
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
    version: { type: Number },
    renamed: { type: Boolean },
    former: { type: Schema.Types.Mixed },
  },
  { collection: 'outputs', versionKey: false },
)
  .index({ namespace: 1, names: 1 }, { unique: true })
  .index({ sessionId: 1, contents: 1 })
  .index({ contents: 1 })
  .index({ namespace: 1, renamed: 1 }, { partialFilterExpression: { renamed: true } });
