import { defineRoute } from '../define-route.ts';

/** `DELETE /v1/sessions/:sessionId`: stops its jobs and removes its files at once. */
export const deleteSessionRoute = defineRoute('deleteSession', async ({ ctx, account, params }, services) => {
  await services.disposal.delete(account.id, params.sessionId);
  ctx.status = 204;
});
