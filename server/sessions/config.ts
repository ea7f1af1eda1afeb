import { z } from 'zod';
import { integerText } from '#contract';

/** Environment variables of sessions; keys are the variables' names. */
export const sessionsConfig = z.object({
  SESSION_TTL_HOURS: integerText(1, 8760)
    .default(24)
    .describe('Hours that a session and its files are kept after the last use; a job uses its session until it ends.'),
  MAX_IMAGES_PER_SESSION: integerText(1, 100_000).default(1000).describe('Most images in one session.'),
  URL_IMPORT: z
    .enum(['on', 'off'])
    .default('off')
    .describe('Import of images by URL. Private addresses are always refused.'),
  SWEEP_SECONDS: integerText(1, 86_400).default(60).describe('Seconds between two searches for expired sessions.'),
});
