import { z } from 'zod';
import { SIGNUP_CREDITS } from '#contract';

const plan = z.strictObject({
  keys: z.int().min(1).max(1000).describe('Most active API keys of an account.'),
  signupCredits: z.int().min(0).max(1_000_000_000).default(SIGNUP_CREDITS).describe('Credits of a new account.'),
  rateLimit: z
    .strictObject({
      requests: z.int().min(1).max(1_000_000_000),
      windowSeconds: z.int().min(1).max(86_400),
    })
    .optional()
    .describe('Most requests of an account per window. Default: no limit.'),
});

/** Limits of a plan. */
export type Plan = z.output<typeof plan>;

const plans = z
  .record(
    z.string().regex(/^[a-z][a-z0-9_-]{0,39}$/, 'expected a plan name of lower-case letters, digits, - and _'),
    plan,
  )
  .refine((table) => Object.keys(table).length > 0, 'expected at least one plan');

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Settings of accounts, by environment variable. */
export const accountsConfig = z.object({
  PLANS: z
    .string()
    .default(
      JSON.stringify({
        free: { keys: 1, signupCredits: SIGNUP_CREDITS },
        agency: { keys: 20, signupCredits: SIGNUP_CREDITS },
      }),
    )
    .transform((text, context) => {
      const table = parseJson(text);
      if (typeof table === 'object' && table !== null && !Array.isArray(table)) return table;
      context.addIssue({ code: 'custom', message: 'expected a JSON object of plans' });
      return z.NEVER;
    })
    .pipe(plans)
    .describe(
      'Plans by name, as JSON: `keys`, `signupCredits`, and optionally `rateLimit` (`requests`, `windowSeconds`). The first plan is the default for new accounts.',
    ),
  API_KEY_PEPPER: z
    .string()
    .min(32, 'expected at least 32 characters')
    .optional()
    .describe('Secret for hashing API keys. Default: generated once, in `DATA_DIR/secrets/api-key-pepper`.'),
});

/** Parsed settings of accounts. */
export type AccountsConfig = z.output<typeof accountsConfig>;
