import { z } from 'zod';
import { ACCOUNT_ROLES } from './account.ts';
import { accountIdSchema } from './ids.ts';
import { emailSchema } from './log-in.ts';

/** Most credits of one grant. */
const MOST_GRANTED = 1_000_000_000;

/** An account as shown to operators. */
export const accountSchema = z
  .object({
    id: accountIdSchema,
    email: z.string(),
    role: z.enum(ACCOUNT_ROLES),
    plan: z.string(),
    state: z
      .enum(['active', 'suspended', 'unclaimed'])
      .describe('`unclaimed`: no password is set, so only API keys work.'),
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
  limit: z.coerce.number().int().min(1).max(200).default(50),
});

/** `GET /account/operator/accounts`. */
export const accountPageSchema = z
  .object({ accounts: z.array(accountSchema), nextCursor: z.string().nullable() })
  .meta({ id: 'AccountPage' });

/** Body of `POST /account/operator/accounts`. */
export const invitationSchema = z
  .object({ email: emailSchema, plan: z.string().max(40).optional().describe('Default: the plan of new accounts.') })
  .meta({ id: 'Invitation' });

/** Response of an invitation. */
export const invitedSchema = z
  .object({
    account: accountSchema,
    link: z.string().nullable().describe('One-time link to pass on; null if it was mailed.'),
  })
  .meta({ id: 'Invited' });

/** Body of `PATCH /account/operator/accounts/:accountId`. */
export const accountPatchSchema = z
  .object({
    plan: z.string().max(40).optional(),
    suspended: z.boolean().optional(),
    role: z.enum(ACCOUNT_ROLES).optional(),
  })
  .refine((patch) => Object.keys(patch).length > 0, 'expected plan, suspended or role')
  .meta({ id: 'AccountPatch' });

/** Body of `POST /account/operator/accounts/:accountId/credits`. */
export const creditGrantSchema = z
  .object({
    amount: z.int().min(1).max(MOST_GRANTED),
    note: z.string().trim().max(200).optional().describe('Shown in the ledger.'),
  })
  .meta({ id: 'CreditGrant' });

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
