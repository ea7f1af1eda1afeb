import { z } from 'zod';
import { LEDGER_KINDS, transactionQuerySchema } from './credits.ts';
import { jobIdSchema, sessionIdSchema } from './ids.ts';
import { JOB_KINDS, JOB_STATES } from './jobs.ts';

/** Days that the usage can be asked for at once. */
export const USAGE_MAX_DAYS = 366;

const day = z.iso.date({ error: 'expected a date of the form 2026-01-31' });

/** What was used, of one day or in all. */
const figures = z.object({
  images: z.int().describe('Images that were exported.'),
  samples: z.int().describe('Images that were exported as samples.'),
  analyses: z.int().describe('Images that were described.'),
  credits: z.int().describe('Charges less refunds, as the ledger has them on that day.'),
  bytesBefore: z.int().describe('Bytes of the exported images as they were uploaded.'),
  bytesAfter: z.int().describe('Bytes of what was made of them at full size.'),
});
export type UsageFigures = z.output<typeof figures>;

/** Query of `GET /account/usage`. */
export const usageQuerySchema = z.object({
  days: z.coerce.number().int().min(1).max(USAGE_MAX_DAYS).default(30).describe('Days back, today included; in UTC.'),
});

/** `GET /account/usage`. */
export const usageSchema = z
  .object({
    from: day,
    to: day.describe('Today, in UTC.'),
    days: z.array(figures.extend({ day })).describe('Every day, oldest first, also those on which nothing happened.'),
    total: figures,
  })
  .meta({ id: 'Usage' });
export type Usage = z.output<typeof usageSchema>;

/** Query of `GET /account/jobs`. */
export const jobHistoryQuerySchema = z.object({ limit: z.coerce.number().int().min(1).max(100).default(20) });

/** A job of the account, whether or not its session still exists. */
export const pastJobSchema = z
  .object({
    jobId: jobIdSchema,
    sessionId: sessionIdSchema,
    kind: z.enum(JOB_KINDS),
    status: z.enum(JOB_STATES),
    images: z.int().describe('Images of the job.'),
    completed: z.int(),
    failed: z.int(),
    bytesBefore: z.int().describe('Bytes of the images that were done, as they were uploaded; 0 for an analysis.'),
    bytesAfter: z.int(),
    savedBytes: z.int(),
    credits: z.int().describe('What it cost, less what was given back; of a running job 0.'),
    createdAt: z.iso.datetime(),
    finishedAt: z.iso.datetime().nullable(),
    links: z
      .object({ job: z.string(), events: z.string(), session: z.string() })
      .nullable()
      .describe('Paths of what is still there; null when the session has ended.'),
  })
  .meta({ id: 'PastJob' });
export type PastJob = z.output<typeof pastJobSchema>;

/** `GET /account/jobs`, newest first. */
export const jobHistorySchema = z.object({ jobs: z.array(pastJobSchema) }).meta({ id: 'JobHistory' });

/** What part of the ledger is meant; days are in UTC and inclusive. */
export const ledgerFilterSchema = z.object({
  kind: z.enum(LEDGER_KINDS).optional(),
  from: day.optional().describe('First day, UTC.'),
  to: day.optional().describe('Last day, UTC, itself included.'),
});
export type LedgerFilter = z.output<typeof ledgerFilterSchema>;

/** Query of `GET /account/ledger`. */
export const ledgerQuerySchema = transactionQuerySchema.extend(ledgerFilterSchema.shape);
