import type { Balance, CreditCheck, creditCheckRequestSchema, Limits } from '#contract';
import type { Input } from '../core/input.ts';
import type { CallOptions, Requester } from '../core/request.ts';
import { readJson } from '../core/response.ts';

/** Input of a price check. */
export type CreditCheckInput = Input<typeof creditCheckRequestSchema>;

/** Creates the methods for credits and the service itself. */
export function createCreditMethods(requester: Requester) {
  return {
    /** Reads balance, plan and keys of the account. */
    getBalance: (options: CallOptions = {}) => requester.get<Balance>('/v1/credits/balance', options),

    /** Returns the price of a batch. Changes nothing. */
    checkCredits: (json: CreditCheckInput, { signal }: CallOptions = {}) =>
      requester.send(
        { method: 'POST', path: '/v1/credits/check', json, signal, repeatable: true },
        readJson<CreditCheck>,
      ),

    /** Reads what uploads may have, and for how long they are kept. */
    getLimits: (options: CallOptions = {}) => requester.get<Limits>('/v1/limits', options),
  };
}
