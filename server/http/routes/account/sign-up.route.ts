import type { LinkSent } from '#contract';
import { defineRoute } from '../../define-route.ts';
import { signInUser } from '../../sign-in-user.ts';
import { visitorOf } from '../../visitor.ts';

const MESSAGES = {
  mail: 'If this address can be used, an email with a link is on its way to it.',
  operator: 'If this address can be used, its link is printed in the log of the service; ask the operator for it.',
};

const sent = (delivery: LinkSent['delivery']): LinkSent => ({ delivery, message: MESSAGES[delivery] });

/** `GET /account/options`. */
export const getAccountOptionsRoute = defineRoute('getAccountOptions', async (_input, services) => ({
  ...services.signIn.options(),
  descriptions: services.descriptionsBy(),
}));

/** `POST /account/sign-up`: the same response whether or not the account exists. */
export const signUpRoute = defineRoute('signUp', async ({ ctx, body }, { signIn }) => {
  await signIn.signUp.request(body.email, visitorOf(ctx));
  return sent(signIn.delivery);
});

/** `POST /account/sign-up/confirm`. */
export const confirmSignUpRoute = defineRoute('confirmSignUp', ({ ctx, body }, services) =>
  signInUser(ctx, services, (visitor) => services.signIn.signUp.confirm(body, visitor)),
);

/** `POST /account/password-reset`: the same response whether or not the account exists. */
export const requestPasswordResetRoute = defineRoute('requestPasswordReset', async ({ ctx, body }, { signIn }) => {
  await signIn.passwords.requestReset(body.email, visitorOf(ctx));
  return sent(signIn.delivery);
});

/** `POST /account/password-reset/confirm`. */
export const resetPasswordRoute = defineRoute('resetPassword', ({ ctx, body }, services) =>
  signInUser(ctx, services, (visitor) => services.signIn.passwords.reset(body, visitor)),
);

/** `POST /account/claim`. */
export const claimAccountRoute = defineRoute('claimAccount', ({ ctx, body }, services) =>
  signInUser(ctx, services, (visitor) => services.signIn.claims.claim(body, visitor)),
);

/** `POST /account/link`: returns the purpose of a link; the token is in the body, since URLs are logged. */
export const readLinkRoute = defineRoute('readLink', ({ body }, { signIn }) => signIn.readLink(body.token));

/** `POST /account/email/confirm`. */
export const confirmEmailRoute = defineRoute('confirmEmail', async ({ body }, { signIn }) => ({
  email: await signIn.emailChange.confirm(body.token),
}));
