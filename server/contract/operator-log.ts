import { z } from 'zod';
import { day } from './account-figures.ts';

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
    action: z.enum(LOG_ACTIONS),
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
  action: z.enum(LOG_ACTIONS).optional(),
  from: day.optional().describe('First day, UTC.'),
  to: day.optional().describe('Last day, UTC, inclusive.'),
});
export type LogFilter = z.output<typeof logFilterSchema>;

/** Query of `GET /account/operator/log`. */
export const logQuerySchema = logFilterSchema.extend({
  cursor: idSchema.optional().describe('The nextCursor of an earlier page.'),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});

/** `GET /account/operator/log`, newest first. */
export const logPageSchema = z
  .object({ lines: z.array(logLineSchema), nextCursor: z.string().nullable() })
  .meta({ id: 'OperatorLogPage' });
