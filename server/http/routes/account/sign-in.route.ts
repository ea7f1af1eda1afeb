import { defineRoute } from '../../define-route.ts';
import { signInUser } from '../../sign-in-user.ts';

/** `POST /account/log-in`. */
export const logInRoute = defineRoute('logIn', ({ ctx, body }, services) =>
  signInUser(ctx, services, (visitor) => services.signIn.signIn(body, visitor)),
);

/** `POST /account/log-out`: succeeds with any cookie, also an invalid one. */
export const logOutRoute = defineRoute('logOut', async ({ ctx }, services) => {
  const { cookie } = services.gateway;
  await services.signIn.browserSessions.end(cookie.read(ctx));
  cookie.clear(ctx);
  ctx.status = 204;
});
