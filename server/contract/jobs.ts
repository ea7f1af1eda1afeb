import { z } from 'zod';
import { imageIdSchema, jobIdSchema, sessionIdSchema } from './ids.ts';
import { metadataSchema } from './images.ts';

/** What jobs can be for. */
export const JOB_KINDS = ['export', 'sample', 'analyze'] as const;
export type JobKindName = (typeof JOB_KINDS)[number];

/** States of a job. */
export const JOB_STATES = ['created', 'processing', 'completed', 'partial', 'failed', 'cancelled'] as const;
export type JobState = (typeof JOB_STATES)[number];

/** States of a job that has not ended; `created`: it may not have been paid for yet. */
export const UNFINISHED_JOB_STATES = ['created', 'processing'] as const satisfies JobState[];

/** Why an image, or a job, was not done. */
export const failureSchema = z.object({ code: z.string(), message: z.string() });

/** What the results of every kind of job have. */
export interface JobResult {
  imageId: string;
  clientRef: string | null;
  status: 'completed' | 'failed';
  error: { code: string; message: string } | null;
}

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
    step: z
      .string()
      .describe(
        '`queued | load | optimize | resize | save | done`, of an analysis `queued | prepare | describe | done`; new ones may come.',
      ),
    current: z.int().describe('Finished images; never goes down.'),
    total: z.int(),
    clientRef: z.string().nullable(),
    error: failureSchema.optional(),
    metadata: metadataSchema.optional().describe('Of an image whose analysis is done.'),
  })
  .meta({ id: 'ProgressEvent' });
export type ProgressEvent = z.output<typeof progressEventSchema>;

/** Sums over a job's results. */
export const jobSummarySchema = z.object({
  total: z.int(),
  completed: z.int(),
  failed: z.int(),
  durationMs: z.int(),
});
export type JobSummary = z.output<typeof jobSummarySchema>;

/** What the `complete` events of all kinds have; the results differ. */
export const completeEventBase = z.object({
  sessionId: sessionIdSchema,
  jobId: jobIdSchema,
  status: z.enum(['completed', 'partial']),
  credits: jobCreditsSchema,
});

/** What the `error` events of all kinds have. */
export const errorEventBase = z.object({
  error: z.string(),
  code: z.string(),
  jobId: jobIdSchema,
  sessionId: sessionIdSchema,
  credits: jobCreditsSchema.optional(),
});

/** An event of a job's stream. There are no other kinds of events (specification, "Events"). */
export type JobEvent =
  | { event: 'progress'; data: ProgressEvent & Record<string, unknown> }
  | { event: 'complete'; data: z.output<typeof completeEventBase> & { results: JobResult[]; summary: JobSummary } }
  | { event: 'error'; data: z.output<typeof errorEventBase> & { results?: JobResult[] } };
