import { z } from 'zod';
import { ACCOUNT_ROLES, day, usageFiguresSchema } from './account.ts';
import { closedObject } from './closed-object.ts';
import { accountIdSchema } from './ids.ts';
import { AI_REASONS } from './images.ts';
import { integerText } from './integer-text.ts';
import { emailSchema } from './log-in.ts';
import { namedEnum } from './named-enum.ts';

/** Most credits of one grant. */
const MOST_GRANTED = 1_000_000_000;

/** An account as shown to operators. */
export const accountSchema = z
  .object({
    id: accountIdSchema,
    email: z.string(),
    role: namedEnum('AccountRole', ACCOUNT_ROLES),
    plan: z.string(),
    state: namedEnum('AccountState', ['active', 'suspended', 'unclaimed']).describe(
      '`unclaimed`: no password is set, so only API keys work.',
    ),
    suspended: z.boolean().describe('Neither keys nor log-ins work.'),
    balance: z.int(),
    used: z.int(),
    granted: z.int(),
    keys: z.object({ used: z.int(), limit: z.int() }),
    createdAt: z.iso.datetime(),
    lastLoginAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Account' });
export type AccountView = z.output<typeof accountSchema>;

/** Query of `GET /account/operator/accounts`. */
export const accountQuerySchema = z.object({
  search: z.string().trim().max(254).optional().describe('Part of the email address, or an account id.'),
  cursor: accountIdSchema.optional().describe('The nextCursor of an earlier page.'),
  limit: integerText(1, 200).default(50),
});

/** `GET /account/operator/accounts`. */
export const accountPageSchema = z
  .object({ accounts: z.array(accountSchema), nextCursor: accountIdSchema.nullable().describe('Null at the end.') })
  .meta({ id: 'AccountPage' });

/** Body of `POST /account/operator/accounts`. */
export const invitationSchema = closedObject({
  email: emailSchema,
  plan: z.string().max(40).optional().describe('Default: the plan of new accounts.'),
}).meta({ id: 'Invitation' });

/** Response of an invitation. */
export const invitedSchema = z
  .object({
    account: accountSchema,
    link: z.string().nullable().describe('One-time link to pass on; null if it was mailed.'),
  })
  .meta({ id: 'Invited' });

/** Body of `PATCH /account/operator/accounts/:accountId`. */
export const accountPatchSchema = closedObject({
  plan: z.string().max(40).optional(),
  suspended: z.boolean().optional(),
  role: namedEnum('AccountRole', ACCOUNT_ROLES).optional(),
})
  .refine((patch) => Object.keys(patch).length > 0, 'expected plan, suspended or role')
  .meta({ id: 'AccountPatch', minProperties: 1 });

/** Body of `POST /account/operator/accounts/:accountId/credits`. */
export const creditGrantSchema = closedObject({
  amount: z.int().min(1).max(MOST_GRANTED),
  note: z.string().trim().max(200).optional().describe('Shown in the ledger.'),
}).meta({ id: 'CreditGrant' });

/** Response of a grant. */
export const grantedSchema = z
  .object({ accountId: accountIdSchema, granted: z.int(), balance: z.int() })
  .meta({ id: 'Granted' });

/** Body of `POST /account/operator/accounts/:accountId/withdrawals`. */
export const withdrawalSchema = creditGrantSchema.meta({ id: 'Withdrawal' });

/** Response of a withdrawal. */
export const withdrawnSchema = z
  .object({ accountId: accountIdSchema, withdrawn: z.int(), balance: z.int().min(0) })
  .meta({ id: 'Withdrawn' });

/** Response of a new link. */
export const accountLinkSchema = z
  .object({ link: z.string().nullable().describe('One-time link to pass on; null if it was mailed.') })
  .meta({ id: 'AccountLink' });

/** `GET /account/operator/audit`. */
export const auditSchema = z
  .object({
    ok: z.boolean(),
    broken: z.array(
      z.object({ rule: z.string(), accountId: z.string(), ref: z.string().nullable(), message: z.string() }),
    ),
    figures: z.object({
      accounts: z.int(),
      lines: z.int(),
      pending: z.int().describe('Entries that are not in the ledger yet.'),
      balance: z.int(),
      used: z.int(),
      granted: z.int(),
    }),
  })
  .meta({ id: 'Audit' });

/** Actions of the operator log. `account.create` includes invitations; `log-in` is that of an operator. */
export const LOG_ACTIONS = [
  'log-in',
  'password.change',
  'password.reset',
  'account.create',
  'account.plan',
  'account.role',
  'account.suspend',
  'account.resume',
  'account.link',
  'account.logout',
  'account.delete',
  'credits.grant',
  'credits.withdraw',
  'key.create',
  'key.activate',
  'key.deactivate',
  'key.rename',
  'key.delete',
] as const;
export type LogAction = (typeof LOG_ACTIONS)[number];

/** Details of an action: old and new value, amount, ids. Contains no secrets. */
export type LogChange = Record<string, string | number | boolean | null>;

const idSchema = z.string().regex(/^log_[0-9A-Za-z]+$/, 'expected the nextCursor of an earlier page');

/** A line of the operator log. */
export const logLineSchema = z
  .object({
    id: z.string(),
    at: z.iso.datetime(),
    actor: z.object({
      accountId: z.string().nullable().describe('Null for the command line.'),
      name: z.string().nullable().describe('Email address, or `command line`; null if the account was deleted.'),
    }),
    action: namedEnum('LogAction', LOG_ACTIONS),
    target: z
      .object({ accountId: z.string(), email: z.string().nullable().describe('Null if the account was deleted.') })
      .nullable(),
    change: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
      .describe('Old and new value, amount or key id. `failed`: the action of the line `line` ended with this code.'),
    address: z.string().describe('Network address of the client; empty for the command line.'),
  })
  .meta({ id: 'OperatorLogLine' });
export type LogLine = z.output<typeof logLineSchema>;

/** Selects part of the operator log; days are in UTC and inclusive. */
export const logFilterSchema = z.object({
  account: z
    .string()
    .trim()
    .max(254)
    .optional()
    .describe('Email address or id of an account that acted or was concerned, or `command line`.'),
  action: namedEnum('LogAction', LOG_ACTIONS).optional(),
  from: day.optional().describe('First day, UTC.'),
  to: day.optional().describe('Last day, UTC, inclusive.'),
});
export type LogFilter = z.output<typeof logFilterSchema>;

/** Query of `GET /account/operator/log`. */
export const logQuerySchema = logFilterSchema.extend({
  cursor: idSchema.optional().describe('The nextCursor of an earlier page.'),
  limit: integerText(1, 200).default(50),
});

/** `GET /account/operator/log`, newest first. */
export const logPageSchema = z
  .object({ lines: z.array(logLineSchema), nextCursor: idSchema.nullable().describe('Null at the end.') })
  .meta({ id: 'OperatorLogPage' });

const worked = usageFiguresSchema.omit({ credits: true });

/** `GET /account/operator/usage`. */
export const serviceUsageSchema = z
  .object({
    from: day,
    to: day.describe('Today, in UTC.'),
    days: z.array(worked.extend({ day })).describe('Every day, oldest first, including days without usage.'),
    total: worked.describe('Work of the period. Work of accounts that were deleted since counts too.'),
    accounts: z.object({ total: z.int(), suspended: z.int() }),
    credits: z.object({
      balance: z.int().describe('Credits that all accounts have left.'),
      used: z.int().describe('Charges less refunds of all accounts.'),
      granted: z.int().describe('Sign-up credits and grants of all accounts, less what operators took back.'),
    }),
  })
  .meta({ id: 'ServiceUsage' });
export type ServiceUsage = z.output<typeof serviceUsageSchema>;

/** States of the description service. `off`: none is set up; `unverified`: not tested yet; `loading`: its model is loading. */
export const MODEL_STATES = ['off', 'ready', 'unverified', 'loading', 'unavailable'] as const;

/** `GET /account/operator/state`. */
export const serviceStateSchema = z
  .object({
    version: z.string(),
    checkedAt: z.iso.datetime(),
    answers: z
      .object({
        since: z.iso.datetime().describe('Start of this server.'),
        all: z.int().describe('Requests that were answered.'),
        refused: z.int().describe('Those of them that were refused (400 to 499).'),
        failed: z.int().describe('Those of them that the service could not answer (500 to 599).'),
        images: z.int().describe('Images of jobs that failed.'),
      })
      .describe('Counts of this server.'),
    lastHour: z
      .object({
        since: z.iso.datetime().describe('An hour ago, or the start of this server.'),
        all: z.int(),
        refused: z.int(),
        failed: z.int(),
        images: z.int(),
        queue: z
          .array(z.object({ at: z.iso.datetime(), waiting: z.int(), busy: z.int() }))
          .max(60)
          .describe('What `queue` was each minute, oldest first.'),
      })
      .describe(
        'The same counts, and the queue, of the last hour. This server keeps them in its memory, until it stops.',
      ),
    disk: z
      .object({ freeBytes: z.int(), totalBytes: z.int() })
      .nullable()
      .describe('Disk where this server receives uploads; null if it cannot be read.'),
    model: z.object({
      provider: z.string(),
      name: z.string().nullable(),
      state: namedEnum('ModelState', MODEL_STATES),
      reason: z
        .string()
        .nullable()
        .describe(`Why it does not describe images: ${Object.keys(AI_REASONS).join(', ')}; null if it does.`),
    }),
    mail: z.object({
      sends: z.boolean().describe('False: links are printed in the log of the service.'),
      waiting: z.int().describe('Emails that were not sent yet.'),
      retried: z.int().describe('Those of them that failed at least once.'),
    }),
    queue: z.object({
      waiting: z.int().describe('Images of jobs that wait, on this server.'),
      busy: z.int().describe('Workers of this server that process an image.'),
      workers: z.int().describe('Workers of this server.'),
    }),
  })
  .meta({ id: 'ServiceState' });
export type ServiceState = z.output<typeof serviceStateSchema>;
