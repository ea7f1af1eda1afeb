import { z } from 'zod';
import { closedObject } from './closed-object.ts';
import { forEachLimit } from './constants/index.ts';
import { LEDGER_KINDS, planUseSchema, transactionQuerySchema } from './credits.ts';
import { accountIdSchema, jobIdSchema, keyIdSchema, sessionIdSchema } from './ids.ts';
import { integerText } from './integer-text.ts';
import { JOB_KINDS, JOB_STATES } from './jobs.ts';
import { emailSchema, newPasswordSchema, passwordSchema } from './log-in.ts';
import { namedEnum } from './named-enum.ts';

/** Roles of accounts. */
export const ACCOUNT_ROLES = ['user', 'operator'] as const;
export type AccountRole = (typeof ACCOUNT_ROLES)[number];

const keyUse = z
  .object({ used: z.int().describe('Active keys.'), limit: z.int().describe('Limit of the plan.') })
  .meta({ id: 'KeyUse' });

/** The account that is logged in. */
export const profileSchema = z
  .object({
    accountId: accountIdSchema,
    email: z.string(),
    pendingEmail: z
      .string()
      .nullable()
      .describe('New email address until the link sent to it is opened, for at most two days.'),
    role: namedEnum('AccountRole', ACCOUNT_ROLES),
    plan: z.string(),
    balance: z.int().describe('Credits.'),
    used: z.int().describe('Charges less refunds, in credits.'),
    granted: z.int().describe('Sign-up credits and grants, less what operators took back, in credits.'),
    keys: keyUse,
    limits: planUseSchema,
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'Profile' });
export type Profile = z.output<typeof profileSchema>;

/** `GET /account/visit`. */
export const visitSchema = z
  .object({ profile: profileSchema.nullable().describe('The account that is logged in; null for a visitor.') })
  .meta({ id: 'Visit' });

/** Body of `PATCH /account/profile`. */
export const profilePatchSchema = closedObject({ email: emailSchema, password: passwordSchema }).meta({
  id: 'ProfilePatch',
});

/** Response of `POST /account/email/confirm`. */
export const emailConfirmedSchema = z.object({ email: z.string() }).meta({ id: 'EmailConfirmed' });

/** Body of `POST /account/password`. */
export const passwordChangeSchema = closedObject({
  currentPassword: passwordSchema,
  newPassword: newPasswordSchema,
}).meta({ id: 'PasswordChange' });

/** Body of requests that are confirmed with the password. */
export const confirmationSchema = closedObject({ password: passwordSchema }).meta({ id: 'Confirmation' });

/** Minutes for which a confirmation with the password is valid. */
export const CONFIRMED_MINUTES = 10;

/** `POST /account/confirm-password`. */
export const confirmedSchema = z
  .object({
    confirmedUntil: z.iso.datetime().describe('Operations that ask for the password are accepted until then.'),
  })
  .meta({ id: 'Confirmed' });

const keyName = z
  .string({ error: 'expected a name' })
  .trim()
  .min(1, 'expected a name')
  .max(100)
  .describe('Name chosen by the owner.');

/** An API key as shown after its creation. */
export const apiKeySchema = z
  .object({
    id: keyIdSchema,
    name: z.string(),
    last4: z.string().describe('The last four characters of the key.'),
    active: z.boolean().describe('Requests with a deactivated key get 403.'),
    createdAt: z.iso.datetime(),
    lastUsedAt: z.iso.datetime().nullable().describe('Accurate to a minute.'),
    disabledAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'ApiKey' });
export type ApiKeyView = z.output<typeof apiKeySchema>;

/** `GET /account/keys`. */
export const apiKeyListSchema = z.object({ keys: z.array(apiKeySchema), limit: keyUse }).meta({ id: 'ApiKeyList' });

/** Body of `POST /account/keys`. */
export const newKeySchema = closedObject({ name: keyName }).meta({ id: 'NewKey' });

/** Response of `POST /account/keys`, the only one that contains the key. */
export const createdKeySchema = apiKeySchema
  .extend({ apiKey: z.string().describe('The key itself, shown in this response only.') })
  .meta({ id: 'CreatedKey' });

/** Body of `PATCH /account/keys/:keyId`. */
export const keyPatchSchema = closedObject({ name: keyName.optional(), active: z.boolean().optional() })
  .refine(({ name, active }) => name !== undefined || active !== undefined, 'expected name or active')
  .meta({ id: 'KeyPatch', minProperties: 1 });

const planLimit = z.int().nullable().describe('null: no limit.');

/** Limits of a plan. */
export const planSchema = z
  .object({
    name: z.string(),
    keys: z.int().describe('Most active API keys of an account.'),
    signupCredits: z.int(),
    rateLimit: z.object({ requests: z.int(), windowSeconds: z.int() }).nullable().describe('null: no limit.'),
    ...forEachLimit(() => planLimit),
    streams: z.int().describe('Most event streams of an account that may be open at once on one server.'),
    isDefault: z.boolean().describe('The plan of new accounts.'),
  })
  .meta({ id: 'Plan' });

/** `GET /account/plans`. */
export const planListSchema = z
  .object({ plans: z.array(planSchema), current: z.string().describe('The plan of this account.') })
  .meta({ id: 'PlanList' });
export type PlanList = z.output<typeof planListSchema>;

/** Most days of one usage request. */
export const USAGE_MAX_DAYS = 366;

/** A day, e.g. `2026-01-31`. */
export const day = z.iso.date({ error: 'expected a date of the form 2026-01-31' });

/** Usage of one day, or in total. */
export const usageFiguresSchema = z.object({
  images: z.int().describe('Images that were exported.'),
  samples: z.int().describe('Images that were exported as samples.'),
  analyses: z.int().describe('Images that were described.'),
  credits: z.int().describe('Charges less refunds in the ledger on that day.'),
  bytesBefore: z.int().describe('Uploaded bytes of the exported images.'),
  bytesAfter: z.int().describe('Bytes of their `full` files.'),
});
export type UsageFigures = z.output<typeof usageFiguresSchema>;

/** Query of `GET /account/usage`. */
export const usageQuerySchema = z.object({
  days: integerText(1, USAGE_MAX_DAYS).default(30).describe('Number of days up to today, in UTC.'),
});

/** `GET /account/usage`. */
export const usageSchema = z
  .object({
    from: day,
    to: day.describe('Today, in UTC.'),
    days: z
      .array(usageFiguresSchema.extend({ day }))
      .describe('Every day, oldest first, including days without usage.'),
    total: usageFiguresSchema,
  })
  .meta({ id: 'Usage' });
export type Usage = z.output<typeof usageSchema>;

/** Query of `GET /account/jobs`. */
export const jobHistoryQuerySchema = z.object({ limit: integerText(1, 100).default(20) });

/** A job of the account; its session may be gone. */
export const pastJobSchema = z
  .object({
    jobId: jobIdSchema,
    sessionId: sessionIdSchema,
    kind: namedEnum('JobKind', JOB_KINDS),
    status: namedEnum('JobState', JOB_STATES),
    images: z.int().describe('Images of the job.'),
    completed: z.int(),
    failed: z.int(),
    bytesBefore: z.int().describe('Uploaded bytes of the completed images; 0 for an analysis.'),
    bytesAfter: z.int(),
    savedBytes: z.int(),
    credits: z.int().describe('Charge less refund; 0 for a running job.'),
    createdAt: z.iso.datetime(),
    finishedAt: z.iso.datetime().nullable(),
    links: z
      .object({ job: z.string(), events: z.string(), session: z.string() })
      .nullable()
      .describe('Paths of the job and its session; null if the session has ended.'),
  })
  .meta({ id: 'PastJob' });
export type PastJob = z.output<typeof pastJobSchema>;

/** `GET /account/jobs`, newest first. */
export const jobHistorySchema = z.object({ jobs: z.array(pastJobSchema) }).meta({ id: 'JobHistory' });

/** Selects part of the ledger; days are in UTC and inclusive. */
export const ledgerFilterSchema = z.object({
  kind: namedEnum('LedgerKind', LEDGER_KINDS).optional(),
  from: day.optional().describe('First day, UTC.'),
  to: day.optional().describe('Last day, UTC, inclusive.'),
});
export type LedgerFilter = z.output<typeof ledgerFilterSchema>;

/** Query of `GET /account/ledger`. */
export const ledgerQuerySchema = transactionQuerySchema.extend(ledgerFilterSchema.shape);
