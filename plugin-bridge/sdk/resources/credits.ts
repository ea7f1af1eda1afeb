import type { CreditCheckInput } from '#contract';
import type { CallOptions, Requester } from '../core/request.ts';

/** Creates the methods for credits and the service itself. @internal */
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
