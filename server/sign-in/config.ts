import { z } from 'zod';

const whole = (min: number, max: number) => z.coerce.number().int().min(min).max(max);

/** The environment variables that steer how people get in; keys are the variables' names. */
export const signInConfig = z.object({
  SIGN_UP: z
    .enum(['open', 'closed'])
    .optional()
    .describe(
      'Whether anybody may make an account. Default: open while `HOST` is a loopback address and `PUBLIC_URL` is not set, else closed.',
    ),
  LOGIN_IDLE_HOURS: whole(1, 8760).default(12).describe('Hours after its last use that a log-in ends.'),
  LOGIN_MAX_DAYS: whole(1, 365).default(14).describe('Days after which a log-in ends in any case.'),
  LOGIN_COOKIE: z
    .enum(['secure', 'plain'])
    .default('secure')
    .describe(
      '`secure`: browsers keep the log-in over HTTPS and on this very machine. `plain`: also over plain HTTP from elsewhere, where whoever listens can take it over; for a network you trust.',
    ),
});

/** The settings after parsing. */
export type SignInConfig = z.output<typeof signInConfig>;
