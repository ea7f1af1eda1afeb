import { z } from 'zod';
import { ANALYSIS_STATES } from './analysis.ts';
import { sessionIdSchema } from './ids.ts';
import { imageSchema } from './images.ts';
import { jobSchema } from './job-record.ts';

/** `GET /v1/sessions/:sessionId`. */
export const sessionSchema = z
  .object({
    sessionId: sessionIdSchema,
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime(),
    images: z.array(imageSchema),
    analysis: z.object({ status: z.enum(ANALYSIS_STATES) }),
    jobs: z.array(jobSchema).describe('Newest first, without results.'),
  })
  .meta({ id: 'Session' });
export type Session = z.output<typeof sessionSchema>;

/** A session in a list. */
export const recentSessionSchema = z
  .object({
    sessionId: sessionIdSchema,
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime(),
    images: z.int(),
    firstImage: z.string().nullable().describe('File name of the first image.'),
  })
  .meta({ id: 'RecentSession' });
export type RecentSession = z.output<typeof recentSessionSchema>;

/** `GET /v1/sessions`, newest first. */
export const recentSessionsSchema = z.object({ sessions: z.array(recentSessionSchema) }).meta({ id: 'RecentSessions' });
export type RecentSessions = z.output<typeof recentSessionsSchema>;
