import type { z } from 'zod';
import type { Balance, CreditCheck, creditCheckRequestSchema, transactionPageSchema } from '#contract';
import type { Input } from '../core/input.ts';
import { type CallOptions, readJson, type Transport } from '../core/request.ts';

/** What a cost is asked for. */
export type CreditCheckInput = Input<typeof creditCheckRequestSchema>;
/** A page of the ledger. */
export type TransactionPage = z.output<typeof transactionPageSchema>;

/** Makes the methods that are about credits and the service itself. */
export function createCreditMethods(transport: Transport) {
  return {
    /** Balance, plan and keys of the account. */
    getBalance: (options: CallOptions = {}) => transport.get<Balance>('/v1/credits/balance', options),

    /** What a batch would cost. Changes nothing. */
    checkCredits: (json: CreditCheckInput, { signal }: CallOptions = {}) =>
      transport.send(
        { method: 'POST', path: '/v1/credits/check', json, signal, repeatable: true },
        readJson<CreditCheck>,
      ),

    /** The ledger, newest first; `nextCursor` of a page is the `cursor` of the next. */
    listTransactions: (query: { cursor?: string; limit?: number } = {}, options: CallOptions = {}) =>
      transport.get<TransactionPage>('/v1/credits/transactions', options, query),

    /** The service's OpenAPI document. */
    getOpenApi: (options: CallOptions = {}) => transport.get<Record<string, unknown>>('/v1/openapi.json', options),
  };
}
