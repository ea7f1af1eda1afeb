import { z } from 'zod';
import { ANALYSIS_STATES, analysisResultSchema, analyzeOptionsSchema } from './analysis.ts';
import { closedObject } from './closed-object.ts';
import { imageResultSchema, summarySchema } from './exports.ts';
import { imageIdSchema, jobIdSchema, sessionIdSchema } from './ids.ts';
import { imageSchema } from './images.ts';
import { failureSchema, JOB_KINDS, JOB_STATES, jobCreditsSchema, jobSummarySchema } from './jobs.ts';
import { namedEnum } from './named-enum.ts';
import { settingsSchema } from './settings.ts';

/** `GET /v1/jobs/:jobId`. */
export const jobSchema = z
  .object({
    jobId: jobIdSchema,
    sessionId: sessionIdSchema,
    kind: namedEnum('JobKind', JOB_KINDS),
    status: namedEnum('JobState', JOB_STATES),
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

/** `GET /v1/sessions/:sessionId`. */
export const sessionSchema = z
  .object({
    sessionId: sessionIdSchema,
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime(),
    images: z.array(imageSchema),
    analysis: z.object({ status: namedEnum('AnalysisState', ANALYSIS_STATES) }),
    jobs: z.array(jobSchema).describe('Newest first, without results.'),
  })
  .meta({ id: 'Session' });
export type Session = z.output<typeof sessionSchema>;

/** Most images that a list names of a session. */
export const RECENT_IMAGES = 4;

/** A session in a list. */
export const recentSessionSchema = z
  .object({
    sessionId: sessionIdSchema,
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime(),
    images: z.int(),
    firstImage: z.string().nullable().describe('File name of the first image.'),
    firstImages: z.array(imageIdSchema).max(RECENT_IMAGES).describe('The first images, e.g. for their previews.'),
    described: z.int().describe('Images that have an alternative text, or need none.'),
    exported: z.boolean().describe('An export has made files.'),
    shared: z.boolean().describe('A shared link shows its images.'),
  })
  .meta({ id: 'RecentSession' });
export type RecentSession = z.output<typeof recentSessionSchema>;

/** `GET /v1/sessions`, newest first. */
export const recentSessionsSchema = z.object({ sessions: z.array(recentSessionSchema) }).meta({ id: 'RecentSessions' });
export type RecentSessions = z.output<typeof recentSessionsSchema>;

const EXPECTED = 'expected an origin: http or https, host and optionally a port, e.g. https://www.example.com';

/** Samples, and analyses, of a session token that says nothing of them. */
export const TOKEN_IMAGES = 10;

const images = (what: string) =>
  z
    .int()
    .min(0)
    .max(1_000_000)
    .default(TOKEN_IMAGES)
    .describe(`Most images that the token may ${what} for free; what is in the cache does not count.`);

/** Tests an origin as browsers send it: in lower case, without path and default port. */
export function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

/** Origin of web pages. */
export const originSchema = z
  .string({ error: EXPECTED })
  .max(300)
  .refine(isOrigin, EXPECTED)
  .meta({ pattern: '^https?://([a-z0-9._-]+|\\[[0-9a-f:.]+\\])(:[0-9]{1,5})?$' });

/** Body of `POST /v1/tokens`. */
export const tokenRequestSchema = closedObject({
  origin: originSchema.describe('Origin of the pages that may use the token, e.g. `https://www.example.com`.'),
  sessionId: sessionIdSchema.optional().describe('Session of the token. Default: the token may create one session.'),
  maxCredits: z
    .int()
    .min(0)
    .max(1_000_000)
    .default(0)
    .describe('Most credits that the token may spend. Default: none, so that it is refused what costs credits.'),
  maxSamples: images('sample'),
  maxAnalyses: images('have described'),
}).meta({ id: 'TokenRequest' });

/** Response of `POST /v1/tokens`. */
export const sessionTokenSchema = z
  .object({
    token: z.string().describe('Sent by the page as `X-API-Key`. Cannot be read again.'),
    expiresAt: z.iso.datetime(),
    origin: z.string(),
    sessionId: sessionIdSchema.nullable().describe('Null if the token may create a session.'),
    maxCredits: z.int(),
    maxSamples: z.int(),
    maxAnalyses: z.int(),
  })
  .meta({ id: 'SessionToken' });
