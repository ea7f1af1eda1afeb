import { z } from 'zod';

const whole = (min: number, max: number) => z.coerce.number().int().min(min).max(max);

/** The environment variables that steer sessions; keys are the variables' names. */
export const sessionsConfig = z.object({
  SESSION_TTL_HOURS: whole(1, 8760).default(24).describe('Hours after its last use that a session and its files live.'),
  MAX_IMAGES_PER_SESSION: whole(1, 100_000).default(1000).describe('Most images in one session.'),
  URL_IMPORT: z
    .enum(['on', 'off'])
    .default('off')
    .describe('Whether images may be imported by URL. Private addresses are refused even then.'),
  SWEEP_SECONDS: whole(1, 86_400).default(60).describe('Seconds between two searches for what has expired.'),
});

/** The session settings after parsing. */
export type SessionsConfig = z.output<typeof sessionsConfig>;
