import { z } from 'zod';
import { LEDGER_KINDS, transactionQuerySchema } from './credits.ts';
import { jobIdSchema, sessionIdSchema } from './ids.ts';
import { JOB_KINDS, JOB_STATES } from './jobs.ts';

/** Most days of one usage request. */
export const USAGE_MAX_DAYS = 366;

/** A day, e.g. `2026-01-31`. */
export const day = z.iso.date({ error: 'expected a date of the form 2026-01-31' });

/** Usage of one day, or in total. */
export const usageFiguresSchema = z.object({
  images: z.int().describe('Images that were exported.'),
  samples: z.int().describe('Images that were exported as samples.'),
  analyses: z.int().describe('Images that were described.'),
  credits: z.int().describe('Charges less refunds in the ledger on that day.'),
  bytesBefore: z.int().describe('Uploaded bytes of the exported images.'),
  bytesAfter: z.int().describe('Bytes of their `full` files.'),
});
export type UsageFigures = z.output<typeof usageFiguresSchema>;

/** Query of `GET /account/usage`. */
export const usageQuerySchema = z.object({
  days: z.coerce.number().int().min(1).max(USAGE_MAX_DAYS).default(30).describe('Number of days up to today, in UTC.'),
});

/** `GET /account/usage`. */
export const usageSchema = z
  .object({
    from: day,
    to: day.describe('Today, in UTC.'),
    days: z
      .array(usageFiguresSchema.extend({ day }))
      .describe('Every day, oldest first, including days without usage.'),
    total: usageFiguresSchema,
  })
  .meta({ id: 'Usage' });
export type Usage = z.output<typeof usageSchema>;

/** Query of `GET /account/jobs`. */
export const jobHistoryQuerySchema = z.object({ limit: z.coerce.number().int().min(1).max(100).default(20) });

/** A job of the account; its session may be gone. */
export const pastJobSchema = z
  .object({
    jobId: jobIdSchema,
    sessionId: sessionIdSchema,
    kind: z.enum(JOB_KINDS),
    status: z.enum(JOB_STATES),
    images: z.int().describe('Images of the job.'),
    completed: z.int(),
    failed: z.int(),
    bytesBefore: z.int().describe('Uploaded bytes of the completed images; 0 for an analysis.'),
    bytesAfter: z.int(),
    savedBytes: z.int(),
    credits: z.int().describe('Charge less refund; 0 for a running job.'),
    createdAt: z.iso.datetime(),
    finishedAt: z.iso.datetime().nullable(),
    links: z
      .object({ job: z.string(), events: z.string(), session: z.string() })
      .nullable()
      .describe('Paths of the job and its session; null if the session has ended.'),
  })
  .meta({ id: 'PastJob' });
export type PastJob = z.output<typeof pastJobSchema>;

/** `GET /account/jobs`, newest first. */
export const jobHistorySchema = z.object({ jobs: z.array(pastJobSchema) }).meta({ id: 'JobHistory' });

/** Selects part of the ledger; days are in UTC and inclusive. */
export const ledgerFilterSchema = z.object({
  kind: z.enum(LEDGER_KINDS).optional(),
  from: day.optional().describe('First day, UTC.'),
  to: day.optional().describe('Last day, UTC, inclusive.'),
});
export type LedgerFilter = z.output<typeof ledgerFilterSchema>;

/** Query of `GET /account/ledger`. */
export const ledgerQuerySchema = transactionQuerySchema.extend(ledgerFilterSchema.shape);
