import type { creditCheckRequestSchema, Input } from '#contract';
import type { CallOptions, Requester } from '../core/request.ts';

/** Input of a price check. */
export type CreditCheckInput = Input<typeof creditCheckRequestSchema>;

/** Creates the methods for credits and the service itself. */
export function createCreditMethods(requester: Requester) {
  return {
    /** Reads balance, plan and keys of the account. */
    getBalance: (options: CallOptions = {}) => requester.call('GET /v1/credits/balance', options),

    /** Returns the price of a batch. Changes nothing. */
    checkCredits: (body: CreditCheckInput, options: CallOptions = {}) =>
      requester.call('POST /v1/credits/check', { body, ...options, repeatable: true }),

    /** Reads what uploads may have, and for how long they are kept. */
    getLimits: (options: CallOptions = {}) => requester.call('GET /v1/limits', options),
  };
}
