import { z } from 'zod';
import { forEachLimit, integerText, PLAN_LIMITS, SIGNUP_CREDITS } from '#contract';

/** Event streams of an account, unless its plan says otherwise: two for each of 32 editors. */
const STREAMS = 64;

/** Returns the schema of an optional limit; absent: no limit. */
const most = () => z.int().min(0).max(1_000_000_000).optional();

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
  streams: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(STREAMS)
    .describe('Most event streams of an account that may be open at once on one server.'),
  ...forEachLimit((_, { description }) => most().describe(description)),
});

/** Limits of a plan. */
export type Plan = z.output<typeof plan>;

const plans = z
  .record(
    z.string().regex(/^[a-z][a-z0-9_-]{0,39}$/, 'expected a plan name of lower-case letters, digits, - and _'),
    plan,
  )
  .refine((table) => Object.keys(table).length > 0, 'expected at least one plan');

/** Names of the limits, each with its description in brackets. */
const limitsInWords = Object.entries(PLAN_LIMITS)
  .map(([name, { description }]) => `\`${name}\` (${description.charAt(0).toLowerCase()}${description.slice(1, -1)})`)
  .join(', ');

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
        free: { keys: 1, signupCredits: SIGNUP_CREDITS, ...forEachLimit((_, { defaults }) => defaults.free) },
        agency: {
          ...{ keys: 20, signupCredits: SIGNUP_CREDITS, streams: 512 },
          ...forEachLimit((_, { defaults }) => defaults.agency),
        },
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
      `Plans by name, as JSON: \`keys\`, \`signupCredits\`, and optionally the limits ${limitsInWords}, of which \`…PerDay\` count by day in UTC, \`streams\` (event streams open at once on one server, ${STREAMS} unless given) and \`rateLimit\` (\`requests\`, \`windowSeconds\`). Operators and the first account have no limits but \`streams\` and \`rateLimit\`. The first plan is the default for new accounts.`,
    ),
  SESSION_TOKENS_PER_ACCOUNT: integerText(1, 1_000_000)
    .default(1000)
    .describe('Session tokens of one account that may be live at once.'),
  API_KEY_PEPPER: z
    .string()
    .min(32, 'expected at least 32 characters')
    .optional()
    .describe('Secret for hashing API keys. Default: generated once, in `DATA_DIR/secrets/api-key-pepper`.'),
  PRINT_FIRST_KEY: z
    .enum(['on', 'off'])
    .default(() => (process.stdout.isTTY ? 'on' : 'off'))
    .describe(
      'Makes the first account an API key at the first start and prints it. Logs keep what is printed. Default: on on a terminal, else off.',
    ),
});

/** Parsed settings of accounts. */
export type AccountsConfig = z.output<typeof accountsConfig>;
