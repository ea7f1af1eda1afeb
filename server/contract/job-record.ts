import { z } from 'zod';
import { analysisResultSchema } from './analysis.ts';
import { analyzeOptionsSchema } from './analyze.ts';
import { imageResultSchema, summarySchema } from './exports.ts';
import { jobIdSchema, sessionIdSchema } from './ids.ts';
import { failureSchema, JOB_KINDS, JOB_STATES, jobCreditsSchema, jobSummarySchema } from './jobs.ts';
import { settingsSchema } from './settings.ts';

/** `GET /v1/jobs/:jobId`. */
export const jobSchema = z
  .object({
    jobId: jobIdSchema,
    sessionId: sessionIdSchema,
    kind: z.enum(JOB_KINDS),
    status: z.enum(JOB_STATES),
    current: z.int().describe('Finished images.'),
    total: z.int(),
    createdAt: z.iso.datetime(),
    finishedAt: z.iso.datetime().nullable(),
    settings: settingsSchema.nullable().describe('Of an export or sample.'),
    options: analyzeOptionsSchema.nullable().describe('Of an analysis.'),
    results: z.array(z.union([imageResultSchema, analysisResultSchema])).optional(),
    summary: z.union([summarySchema, jobSummarySchema]).nullable(),
    credits: jobCreditsSchema.nullable(),
    error: failureSchema.nullable(),
  })
  .meta({ id: 'Job' });
export type Job = z.output<typeof jobSchema>;
