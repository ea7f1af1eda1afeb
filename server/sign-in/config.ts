import { z } from 'zod';
import { integerText } from '#contract';

/** Settings of sign-in, by environment variable. */
export const signInConfig = z.object({
  SIGN_UP: z
    .enum(['open', 'closed'])
    .optional()
    .describe(
      '`open`: anyone can sign up. `closed`: only operators create accounts. Default: open while `HOST` is a loopback address and `PUBLIC_URL` is not set, else closed.',
    ),
  LOGIN_IDLE_HOURS: integerText(1, 8760).default(12).describe('Hours without use after which a browser session ends.'),
  LOGIN_MAX_DAYS: integerText(1, 365).default(14).describe('Days after which a browser session ends in any case.'),
  LOGIN_COOKIE: z
    .enum(['secure', 'plain'])
    .default('secure')
    .describe(
      '`secure`: the session cookie works over HTTPS, and for pages of `localhost`, `127.0.0.1` and `[::1]`. `plain`: also over plain HTTP, where anyone on the network can read it; for trusted networks only.',
    ),
});

/** Parsed settings of sign-in. */
export type SignInConfig = z.output<typeof signInConfig>;
