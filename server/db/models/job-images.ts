import { Schema } from 'mongoose';
import type { EmbeddedField, FocalPoint, JobKindName, MetadataValues, RequestField } from '#contract';

/** A file in use, and the variant that may replace it. */
export interface ReplacedFile {
  name: string;
  /** 0: none is in use. */
  bytes: number;
}

/**
 * One image of a job. A null `filename` stands for the original's. Fields that requests do not carry come from
 * the stored metadata, and are absent if the request has metadata of its own. `replaces` is present if only smaller files
 * are delivered. `focalPoint` overrides that of the settings. `renames` is that of the image at the request; absent: 0.
 * `writer`: vision model that wrote at least one of the texts. `isOtherLanguage`: the texts are not in the language of the settings, since the image has none in it.
 */
export type JobImage = {
  imageId: string;
  unknownFields?: string[];
  replaces?: ReplacedFile[];
  focalPoint?: FocalPoint;
  renames?: number;
  writer?: string;
  isOtherLanguage?: boolean;
} & Pick<MetadataValues, RequestField> &
  Partial<Pick<MetadataValues, Exclude<EmbeddedField, RequestField>>>;

/** Some consecutive images of a job: apart from the job, which stays small, and what a server takes at a time. */
export interface JobImagesRecord {
  /** `<jobId>:<from>`, the number with six digits. */
  _id: string;
  jobId: string;
  accountId: string;
  sessionId: string;
  kind: JobKindName;
  /** Place of the first image in the request, from 0. */
  from: number;
  images: JobImage[];
  /** `kept`: for the server that holds the job; `open`: for any server; `taken`: `owner` works on it. */
  state: 'kept' | 'open' | 'taken' | 'done';
  owner: string | null;
  /** How often it was taken. */
  takes: number;
  /** Changes while the owner is alive. */
  beat: number;
}

/** Schema of {@link JobImagesRecord}. */
export const jobImagesSchema = new Schema<JobImagesRecord>(
  {
    _id: { type: String, required: true },
    jobId: { type: String, required: true },
    accountId: { type: String, required: true },
    sessionId: { type: String, required: true },
    kind: { type: String, required: true },
    from: { type: Number, required: true },
    images: { type: Schema.Types.Mixed, required: true },
    state: { type: String, required: true },
    owner: { type: String, default: null },
    takes: { type: Number, default: 0 },
    beat: { type: Number, default: 0 },
  },
  { collection: 'job_images', versionKey: false, minimize: false },
)
  .index({ jobId: 1, from: 1 })
  .index({ sessionId: 1 })
  .index({ state: 1, jobId: 1 });
