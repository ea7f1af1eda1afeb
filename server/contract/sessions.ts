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
