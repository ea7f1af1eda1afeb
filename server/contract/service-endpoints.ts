import { z } from 'zod';
import {
  balanceSchema,
  creditCheckRequestSchema,
  creditCheckSchema,
  transactionPageSchema,
  transactionQuerySchema,
} from './credits.ts';
import type { Endpoint } from './endpoint.ts';
import { limitsSchema } from './limits.ts';

const base = { auth: 'key', idempotent: false, errors: [] } as const;

/** Rows of the endpoint table about credits and the service itself. */
export const SERVICE_ENDPOINTS = {
  getBalance: {
    ...base,
    method: 'GET',
    path: '/v1/credits/balance',
    tag: 'Credits',
    summary: 'Balance, plan and keys of the account',
    success: { status: 200, kind: 'json', schema: balanceSchema },
  },
  checkCredits: {
    ...base,
    token: 'price',
    method: 'POST',
    path: '/v1/credits/check',
    tag: 'Credits',
    summary: 'Calculate the cost of a batch',
    body: creditCheckRequestSchema,
    success: { status: 200, kind: 'json', schema: creditCheckSchema },
  },
  listTransactions: {
    ...base,
    method: 'GET',
    path: '/v1/credits/transactions',
    tag: 'Credits',
    summary: 'The ledger, newest first',
    query: transactionQuerySchema,
    success: { status: 200, kind: 'json', schema: transactionPageSchema },
  },
  getLimits: {
    ...base,
    token: 'price',
    method: 'GET',
    path: '/v1/limits',
    tag: 'Service',
    summary: 'What uploads may have, and for how long they are kept',
    success: { status: 200, kind: 'json', schema: limitsSchema },
  },
  getOpenApi: {
    ...base,
    method: 'GET',
    path: '/v1/openapi.json',
    tag: 'Service',
    summary: 'This document',
    auth: 'none',
    errors: ['precondition_failed'],
    success: { status: 200, kind: 'json', schema: z.record(z.string(), z.unknown()) },
  },
} as const satisfies Record<string, Endpoint>;
