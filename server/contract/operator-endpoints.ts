import { z } from 'zod';
import type { Endpoint } from './endpoint.ts';
import { accountIdSchema } from './ids.ts';
import {
  accountPageSchema,
  accountPatchSchema,
  accountQuerySchema,
  accountSchema,
  auditSchema,
  creditGrantSchema,
  grantedSchema,
  invitationSchema,
  invitedSchema,
} from './operator.ts';
import { logFilterSchema, logPageSchema, logQuerySchema } from './operator-log.ts';

const base = { tag: 'Operator', auth: 'operator', bodyKind: 'none', idempotent: false, errors: [] } as const;
const ofAccount = z.object({ accountId: accountIdSchema });

/** The endpoints of operators. */
export const OPERATOR_ENDPOINTS = {
  listAccounts: {
    ...base,
    method: 'GET',
    path: '/account/operator/accounts',
    summary: 'List all accounts, ordered by id',
    query: accountQuerySchema,
    success: { status: 200, kind: 'json', schema: accountPageSchema },
  },
  inviteAccount: {
    ...base,
    method: 'POST',
    path: '/account/operator/accounts',
    summary: 'Create an account and send the link that claims it',
    bodyKind: 'json',
    body: invitationSchema,
    success: { status: 201, kind: 'json', schema: invitedSchema },
    errors: ['email_taken', 'password_required'],
  },
  updateAccount: {
    ...base,
    method: 'PATCH',
    path: '/account/operator/accounts/:accountId',
    summary: 'Change plan or role, suspend or resume',
    params: ofAccount,
    bodyKind: 'json',
    body: accountPatchSchema,
    success: { status: 200, kind: 'json', schema: accountSchema },
    errors: ['not_found', 'own_account', 'password_required'],
  },
  grantCredits: {
    ...base,
    method: 'POST',
    path: '/account/operator/accounts/:accountId/credits',
    summary: 'Grant credits to an account',
    params: ofAccount,
    bodyKind: 'json',
    body: creditGrantSchema,
    idempotent: true,
    success: { status: 200, kind: 'json', schema: grantedSchema },
    errors: ['not_found', 'password_required'],
  },
  listOperatorLog: {
    ...base,
    method: 'GET',
    path: '/account/operator/log',
    summary: 'The operator log, newest first, optionally by account, action and day',
    query: logQuerySchema,
    success: { status: 200, kind: 'json', schema: logPageSchema },
  },
  exportOperatorLog: {
    ...base,
    method: 'GET',
    path: '/account/operator/log.csv',
    summary: 'The operator log as a CSV file',
    query: logFilterSchema,
    success: { status: 200, kind: 'csv' },
  },
  exportOperatorLogLines: {
    ...base,
    method: 'GET',
    path: '/account/operator/log.jsonl',
    summary: 'The operator log as JSON lines',
    query: logFilterSchema,
    success: { status: 200, kind: 'jsonl' },
  },
  auditCredits: {
    ...base,
    method: 'GET',
    path: '/account/operator/audit',
    summary: 'Check all balances against the ledger',
    success: { status: 200, kind: 'json', schema: auditSchema },
  },
} as const satisfies Record<string, Endpoint>;
