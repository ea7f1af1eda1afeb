import type { CreatedShare, ShareList, shareRequestSchema } from '#contract';
import type { Input } from '../core/input.ts';
import type { CallOptions, Requester } from '../core/request.ts';
import { readJson, readNothing } from '../core/response.ts';
import { pathOf } from './sessions.ts';

/** Creates the methods for links to a session. The element uses none of them. */
export function createShareMethods(requester: Requester) {
  const sharesOf = (sessionId: string) => `${pathOf(sessionId)}/shares`;
  return {
    /** Creates a link by which people without an account look at a session and answer. Only this response contains it. */
    createShare: (sessionId: string, json: Input<typeof shareRequestSchema> = {}, { signal }: CallOptions = {}) =>
      requester.send({ method: 'POST', path: sharesOf(sessionId), json, signal }, readJson<CreatedShare>),

    /** Lists the links of a session, newest first, with the answers of their visitors. */
    listShares: (sessionId: string, options: CallOptions = {}) =>
      requester.get<ShareList>(sharesOf(sessionId), options),

    /** Revokes a link at once; its answers stay. */
    revokeShare: (sessionId: string, shareId: string, { signal }: CallOptions = {}) => {
      const path = `${sharesOf(sessionId)}/${encodeURIComponent(shareId)}`;
      return requester.send({ method: 'DELETE', path, signal }, readNothing);
    },
  };
}
