import { defineRoute } from '../../define-route.ts';

/** `GET /account/logins`. */
export const listLoginsRoute = defineRoute('listLogins', async ({ account, loginId }, { login }) => ({
  logins: await login.logins.list(account.id, loginId),
}));

/** `DELETE /account/logins/:loginId`. */
export const revokeLoginRoute = defineRoute('revokeLogin', async ({ ctx, account, params, loginId }, services) => {
  await services.login.logins.revoke(account.id, params.loginId);
  if (params.loginId === loginId) services.gateway.cookie.clear(ctx);
  ctx.status = 204;
});

/** `DELETE /account/logins`: all but the one that asks. */
export const revokeOtherLoginsRoute = defineRoute('revokeOtherLogins', async ({ account, loginId }, { login }) => ({
  revoked: await login.logins.revokeAll(account.id, loginId),
}));
