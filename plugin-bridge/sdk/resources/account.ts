import type { TokenInput } from '#contract';
import type { CallOptions, Requester } from '../core/request.ts';

/** Creates the methods for the account as a whole, its tokens and its sessions. The element uses none of them. @internal */
export function createAccountMethods(requester: Requester) {
  return {
    /** Lists the sessions of the account that have not ended, newest first. */
    listSessions: (query: { limit?: number } = {}, options: CallOptions = {}) =>
      requester.call('GET /v1/sessions', { query, ...options }),

    /** Deletes a session and all its files. */
    deleteSession: (sessionId: string, options: CallOptions = {}) =>
      requester.call('DELETE /v1/sessions/:sessionId', { sessionId, ...options }),

    /** Creates a token for pages of `origin`, valid for one session and one hour. Takes an API key. */
    createToken: (body: TokenInput, options: CallOptions = {}) =>
      requester.call('POST /v1/tokens', { body, ...options }),

    /** Lists the ledger, newest first; `nextCursor` of a page is the `cursor` of the next. */
    listTransactions: (query: { cursor?: string; limit?: number } = {}, options: CallOptions = {}) =>
      requester.call('GET /v1/credits/transactions', { query, ...options }),

    /** Reads the service's OpenAPI document. */
    getOpenApi: (options: CallOptions = {}) => requester.call('GET /v1/openapi.json', options),
  };
}
