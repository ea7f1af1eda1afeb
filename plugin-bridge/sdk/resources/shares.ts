import type { ShareInput } from '#contract';
import type { CallOptions, Requester } from '../core/request.ts';

/** Creates the methods for links to a session. The element uses none of them. @internal */
export function createShareMethods(requester: Requester) {
  return {
    /** Creates a link by which people without an account look at a session and answer. Only this response contains it. */
    createShare: (sessionId: string, body: ShareInput = {}, options: CallOptions = {}) =>
      requester.call('POST /v1/sessions/:sessionId/shares', { sessionId, body, ...options }),

    /** Lists the links of a session, newest first, with the answers of their visitors. */
    listShares: (sessionId: string, options: CallOptions = {}) =>
      requester.call('GET /v1/sessions/:sessionId/shares', { sessionId, ...options }),

    /** Revokes a link at once; its answers stay. */
    revokeShare: (sessionId: string, shareId: string, options: CallOptions = {}) =>
      requester.call('DELETE /v1/sessions/:sessionId/shares/:shareId', { sessionId, shareId, ...options }),
  };
}
