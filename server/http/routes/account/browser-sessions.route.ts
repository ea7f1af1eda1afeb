import { defineRoute } from '../../define-route.ts';

/** `GET /account/logins`. */
export const listLoginsRoute = defineRoute('listLogins', async ({ account, loginId }, { signIn }) => ({
  logins: await signIn.browserSessions.list(account.id, loginId),
}));

/** `DELETE /account/logins/:loginId`. */
export const revokeLoginRoute = defineRoute('revokeLogin', async ({ ctx, account, params, loginId }, services) => {
  await services.signIn.browserSessions.revoke(account.id, params.loginId);
  if (params.loginId === loginId) services.gateway.cookie.clear(ctx);
  ctx.status = 204;
});

/** `DELETE /account/logins`: ends all but the current one. */
export const revokeOtherLoginsRoute = defineRoute('revokeOtherLogins', async ({ account, loginId }, { signIn }) => ({
  revoked: await signIn.browserSessions.revokeAll(account.id, loginId),
}));
