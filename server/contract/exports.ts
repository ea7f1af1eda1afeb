import { z } from 'zod';
import { imageIdSchema, jobIdSchema, sessionIdSchema } from './ids.ts';
import { settingsSchema } from './settings.ts';
import { warningSchema } from './warnings.ts';

/** An image as an export or sample request names it (specification, "Image"). */
export const exportImageSchema = z
  .object({
    id: imageIdSchema,
    uploadPath: z.string().max(1024).optional().describe('Only compared with the stored one, never opened.'),
    originalFilename: z.string().max(1024).optional(),
    metadata: z
      .object({
        filename: z.string().max(1024).nullish().describe('Basename of the output file, without extension.'),
        title: z.string().max(2000).nullish(),
        alt: z.string().max(2000).nullish(),
      })
      .nullish()
      .describe('Absent: the stored metadata is used.'),
  })
  .meta({ id: 'ExportImage' });
export type ExportImage = z.output<typeof exportImageSchema>;

/** Body of an export or sample request. */
export const exportRequestSchema = z
  .object({
    sessionId: sessionIdSchema.optional().describe('If given, the same as in the path.'),
    // As many as the largest session can hold: no limit of its own, but a bound on the work of refusing a list of rubbish.
    images: z.array(exportImageSchema).min(1).max(100_000).describe('No id twice.'),
    settings: settingsSchema,
  })
  .meta({ id: 'ExportRequest' });
export type ExportRequest = z.output<typeof exportRequestSchema>;

/** Body of `POST /v1/export`, where the session is named in the body alone. */
export const flatExportRequestSchema = exportRequestSchema
  .extend({ sessionId: sessionIdSchema })
  .meta({ id: 'FlatExportRequest' });

/** One exported file (specification, "Variant"). */
export const variantSchema = z
  .object({
    name: z.string().describe('`full`, or `<width>w`.'),
    path: z.string().describe('Server-side path; opaque.'),
    size: z.int().describe('Bytes.'),
    width: z.int(),
    height: z.int(),
    filename: z.string(),
    url: z.string().describe('Download path below the base URL.'),
    sha256: z.string(),
  })
  .meta({ id: 'Variant' });
export type Variant = z.output<typeof variantSchema>;

/** The result of one image. */
export const imageResultSchema = z
  .object({
    imageId: imageIdSchema,
    clientRef: z.string().nullable(),
    status: z.enum(['completed', 'failed']),
    originalFilename: z.string(),
    filename: z.string().nullable().describe('Name of the `full` file; null for a failed image.'),
    format: z.string(),
    mimeType: z.string().nullable(),
    original: z.object({ size: z.int(), width: z.int(), height: z.int(), format: z.string() }),
    variants: z.array(variantSchema).describe('`full` first; empty for a failed image.'),
    savedBytes: z.int().describe('Of `full` against the upload; negative when it grew.'),
    savedPercent: z.number(),
    quality: z.object({ preset: z.string(), used: z.union([z.number(), z.string()]).nullable() }),
    largerThanOriginal: z.boolean(),
    keptOriginal: z.boolean().describe("The uploaded file's own pixels were delivered."),
    fromCache: z.boolean().describe('Nothing was encoded for this result.'),
    skippedSizes: z.array(z.int()).describe('Widths that were not made because the source is smaller.'),
    warnings: z.array(warningSchema),
    creditsCharged: z.int(),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
  })
  .meta({ id: 'ImageResult' });
export type ImageResult = z.output<typeof imageResultSchema>;

/** Sums over a job's results. */
export const summarySchema = z
  .object({
    total: z.int(),
    completed: z.int(),
    failed: z.int(),
    originalBytes: z.int().describe('Of the completed images.'),
    outputBytes: z.int().describe('Of their `full` files.'),
    savedBytes: z.int(),
    savedPercent: z.number(),
    durationMs: z.int(),
  })
  .meta({ id: 'Summary' });
export type Summary = z.output<typeof summarySchema>;

/** What a job cost. */
export const jobCreditsSchema = z
  .object({ charged: z.int(), refunded: z.int(), balance: z.int() })
  .meta({ id: 'JobCredits' });
export type JobCredits = z.output<typeof jobCreditsSchema>;

/** Data of a `progress` event. */
export const progressEventSchema = z
  .object({
    imageId: imageIdSchema,
    status: z.enum(['queued', 'processing', 'completed', 'failed']),
    step: z.string().describe('`queued | load | optimize | resize | save | done`; new ones may come.'),
    current: z.int().describe('Finished images; never goes down.'),
    total: z.int(),
    clientRef: z.string().nullable(),
    error: z.object({ code: z.string(), message: z.string() }).optional(),
  })
  .meta({ id: 'ProgressEvent' });
export type ProgressEvent = z.output<typeof progressEventSchema>;

/** Data of a `complete` event. */
export const completeEventSchema = z
  .object({
    sessionId: sessionIdSchema,
    jobId: jobIdSchema,
    status: z.enum(['completed', 'partial']),
    results: z.array(imageResultSchema).describe('In request order.'),
    summary: summarySchema,
    credits: jobCreditsSchema,
  })
  .meta({ id: 'CompleteEvent' });
export type CompleteEvent = z.output<typeof completeEventSchema>;

/** Data of an `error` event: nothing could be exported, or the job could not go on. */
export const errorEventSchema = z
  .object({
    error: z.string(),
    code: z.string(),
    jobId: jobIdSchema,
    sessionId: sessionIdSchema,
    results: z.array(imageResultSchema).optional(),
    credits: jobCreditsSchema.optional(),
  })
  .meta({ id: 'ErrorEvent' });
export type ErrorEvent = z.output<typeof errorEventSchema>;

/** An event of an export or sample stream. There are no other kinds (specification, "Events"). */
export type ExportEvent =
  | { event: 'progress'; data: ProgressEvent }
  | { event: 'complete'; data: CompleteEvent }
  | { event: 'error'; data: ErrorEvent };

/** States of a job. */
export const JOB_STATES = ['created', 'charged', 'processing', 'completed', 'partial', 'failed', 'cancelled'] as const;
export type JobState = (typeof JOB_STATES)[number];

/** A job as `GET /v1/jobs/:jobId` shows it. */
export const jobSchema = z
  .object({
    jobId: jobIdSchema,
    sessionId: sessionIdSchema,
    kind: z.enum(['export', 'sample']),
    status: z.enum(JOB_STATES),
    current: z.int().describe('Finished images.'),
    total: z.int(),
    createdAt: z.iso.datetime(),
    finishedAt: z.iso.datetime().nullable(),
    settings: settingsSchema,
    results: z.array(imageResultSchema).optional(),
    summary: summarySchema.nullable(),
    credits: jobCreditsSchema.nullable(),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
  })
  .meta({ id: 'Job' });
export type Job = z.output<typeof jobSchema>;
