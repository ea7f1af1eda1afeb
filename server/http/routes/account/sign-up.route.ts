import type { LinkSent } from '#contract';
import { defineRoute } from '../../define-route.ts';
import { letIn } from '../../let-in.ts';
import { visitorOf } from '../../visitor.ts';

const MESSAGES = {
  mail: 'If this address can be used, a mail with a link is on its way to it.',
  operator: 'If this address can be used, its link is printed where the service runs; ask the operator for it.',
};

const sent = (delivery: LinkSent['delivery']): LinkSent => ({ delivery, message: MESSAGES[delivery] });

/** `GET /account/options`. */
export const getAccountOptionsRoute = defineRoute('getAccountOptions', async (_input, services) =>
  services.login.options(),
);

/** `POST /account/sign-up`: the same answer whoever has an account. */
export const signUpRoute = defineRoute('signUp', async ({ ctx, body }, { login }) => {
  await login.signUp.request(body.email, visitorOf(ctx));
  return sent(login.delivery);
});

/** `POST /account/sign-up/confirm`. */
export const confirmSignUpRoute = defineRoute('confirmSignUp', ({ ctx, body }, services) =>
  letIn(ctx, services, (visitor) => services.login.signUp.confirm(body, visitor)),
);

/** `POST /account/password-reset`: the same answer whoever has an account. */
export const requestPasswordResetRoute = defineRoute('requestPasswordReset', async ({ ctx, body }, { login }) => {
  await login.passwords.requestReset(body.email, visitorOf(ctx));
  return sent(login.delivery);
});

/** `POST /account/password-reset/confirm`. */
export const resetPasswordRoute = defineRoute('resetPassword', ({ ctx, body }, services) =>
  letIn(ctx, services, (visitor) => services.login.passwords.reset(body, visitor)),
);

/** `POST /account/claim`. */
export const claimAccountRoute = defineRoute('claimAccount', ({ ctx, body }, services) =>
  letIn(ctx, services, (visitor) => services.login.claims.claim(body, visitor)),
);

/** `POST /account/link`: what a link is good for; the token is in the body, since URLs end up in logs. */
export const readLinkRoute = defineRoute('readLink', ({ body }, { login }) => login.readLink(body.token));

/** `POST /account/email/confirm`. */
export const confirmEmailRoute = defineRoute('confirmEmail', async ({ body }, { login }) => ({
  email: await login.emailChange.confirm(body.token),
}));
