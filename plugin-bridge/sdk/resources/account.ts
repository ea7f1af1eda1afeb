import type { z } from 'zod';
import type { RecentSessions, SessionToken, tokenRequestSchema, transactionPageSchema } from '#contract';
import type { Input } from '../core/input.ts';
import type { CallOptions, Requester } from '../core/request.ts';
import { readJson, readNothing } from '../core/response.ts';
import { pathOf } from './sessions.ts';

/** Page of the ledger. */
export type TransactionPage = z.output<typeof transactionPageSchema>;

/** Creates the methods for the account as a whole, its tokens and its sessions. The element uses none of them. */
export function createAccountMethods(requester: Requester) {
  return {
    /** Lists the sessions of the account that have not ended, newest first. */
    listSessions: (query: { limit?: number } = {}, options: CallOptions = {}) =>
      requester.get<RecentSessions>('/v1/sessions', options, query),

    /** Deletes a session and all its files. */
    deleteSession: (sessionId: string, { signal }: CallOptions = {}) =>
      requester.send({ method: 'DELETE', path: pathOf(sessionId), signal }, readNothing),

    /** Creates a token for pages of `origin`, valid for one session and one hour. Takes an API key. */
    createToken: (json: Input<typeof tokenRequestSchema>, { signal }: CallOptions = {}) =>
      requester.send({ method: 'POST', path: '/v1/tokens', json, signal }, readJson<SessionToken>),

    /** Lists the ledger, newest first; `nextCursor` of a page is the `cursor` of the next. */
    listTransactions: (query: { cursor?: string; limit?: number } = {}, options: CallOptions = {}) =>
      requester.get<TransactionPage>('/v1/credits/transactions', options, query),

    /** Reads the service's OpenAPI document. */
    getOpenApi: (options: CallOptions = {}) => requester.get<Record<string, unknown>>('/v1/openapi.json', options),
  };
}
