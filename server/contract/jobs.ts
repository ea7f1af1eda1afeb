import { z } from 'zod';
import { imageIdSchema, jobIdSchema, sessionIdSchema } from './ids.ts';
import { metadataSchema } from './images.ts';
import { namedEnum } from './named-enum.ts';
import { textsSchema } from './texts.ts';

/** Kinds of jobs. */
export const JOB_KINDS = ['export', 'sample', 'analyze'] as const;
export type JobKindName = (typeof JOB_KINDS)[number];

/** States of a job. */
export const JOB_STATES = ['created', 'processing', 'completed', 'partial', 'failed', 'cancelled'] as const;
export type JobState = (typeof JOB_STATES)[number];

/** States of an unfinished job; `created`: it may not be charged yet. */
export const UNFINISHED_JOB_STATES = ['created', 'processing'] as const satisfies JobState[];

/** Error of a failed image or job. */
export const failureSchema = z.object({ code: z.string(), message: z.string() }).meta({ id: 'Failure' });

/** Fields of the results of all job kinds. */
export interface JobResult {
  imageId: string;
  clientRef: string | null;
  status: 'completed' | 'failed';
  error: { code: string; message: string } | null;
}

/** Credits of a job. */
export const jobCreditsSchema = z
  .object({ charged: z.int(), refunded: z.int(), balance: z.int() })
  .meta({ id: 'JobCredits' });
export type JobCredits = z.output<typeof jobCreditsSchema>;

/** Data of a `progress` event. */
export const progressEventSchema = z
  .object({
    imageId: imageIdSchema,
    status: namedEnum('ProgressState', ['queued', 'processing', 'completed', 'failed']),
    step: z
      .string()
      .describe(
        '`queued | load | optimize | resize | save | done`, of an analysis `queued | prepare | describe | done`, and `wait_for_model` while the model is loading; more may be added.',
      ),
    current: z.int().describe('Finished images; never goes down.'),
    total: z.int(),
    clientRef: z.string().nullable(),
    error: failureSchema.optional(),
    metadata: metadataSchema.optional().describe('Of an image whose analysis has finished.'),
    texts: textsSchema.optional(),
  })
  .meta({ id: 'ProgressEvent' });
export type ProgressEvent = z.output<typeof progressEventSchema>;

/** Sums over a job's results. */
export const jobSummarySchema = z
  .object({
    total: z.int(),
    completed: z.int(),
    failed: z.int(),
    durationMs: z.int(),
  })
  .meta({ id: 'JobSummary' });
export type JobSummary = z.output<typeof jobSummarySchema>;

/** Fields of the `complete` events of all job kinds, without results. */
export const completeEventBase = z.object({
  sessionId: sessionIdSchema,
  jobId: jobIdSchema,
  status: namedEnum('CompleteState', ['completed', 'partial']),
  credits: jobCreditsSchema,
});

/** Fields of the `error` events of all job kinds, without results. */
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
