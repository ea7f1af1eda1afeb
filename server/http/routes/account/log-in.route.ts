import { defineRoute } from '../../define-route.ts';
import { letIn } from '../../let-in.ts';

/** `POST /account/log-in`. */
export const logInRoute = defineRoute('logIn', ({ ctx, body }, services) =>
  letIn(ctx, services, (visitor) => services.login.logIn(body, visitor)),
);

/** `POST /account/log-out`: works with whatever cookie there is, so that nobody is kept logged in by a fault. */
export const logOutRoute = defineRoute('logOut', async ({ ctx }, services) => {
  const { cookie } = services.gateway;
  await services.login.logins.end(cookie.read(ctx));
  cookie.clear(ctx);
  ctx.status = 204;
});
