import type { CreatedShare, ShareList } from '#contract';
import { defineRoute } from '../define-route.ts';

/** `POST /v1/sessions/:sessionId/shares`: the response is the only one that contains the link. */
export const createShareRoute = defineRoute(
  'createShare',
  ({ account, params, body }, { shares }): Promise<CreatedShare> =>
    shares.create(account.id, params.sessionId, body.days),
);

/** `GET /v1/sessions/:sessionId/shares`. */
export const listSharesRoute = defineRoute(
  'listShares',
  async ({ account, params: { sessionId } }, { shares }): Promise<ShareList> => ({
    sessionId,
    shares: await shares.list(account.id, sessionId),
  }),
);

/** `DELETE /v1/sessions/:sessionId/shares/:shareId`. */
export const revokeShareRoute = defineRoute('revokeShare', async ({ ctx, account, params }, { shares }) => {
  await shares.revoke(account.id, params.sessionId, params.shareId);
  ctx.status = 204;
});
