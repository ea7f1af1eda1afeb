import type { LinkSent } from '#contract';
import type { Handlers } from '../handlers.ts';
import { signInByLink, signInUser, visitorOf } from '../sign-in-user.ts';

const MESSAGES = {
  mail: 'If this address can be used, an email with a link is on its way to it.',
  operator: 'If this address can be used, its link is printed in the log of the service; ask the operator for it.',
};

const sent = (delivery: LinkSent['delivery']): LinkSent => ({ delivery, message: MESSAGES[delivery] });

/** Handlers of signing up, signing in and the links in mails. */
export const SIGN_IN_ROUTES = {
  getAccountOptions: async (_input, services) => ({
    ...services.signIn.options(),
    descriptions: services.descriptionsBy(),
  }),

  /** `POST /account/sign-up`: the same response whether or not the account exists. */
  signUp: async ({ ctx, body }, { signIn }) => {
    await signIn.signUp.request(body.email, visitorOf(ctx));
    return sent(signIn.delivery);
  },

  confirmSignUp: ({ ctx, body }, services) =>
    signInByLink(ctx, services, (visitor) => services.signIn.signUp.confirm(body, visitor)),

  /** `POST /account/password-reset`: the same response whether or not the account exists. */
  requestPasswordReset: async ({ ctx, body }, { signIn }) => {
    await signIn.passwords.requestReset(body.email, visitorOf(ctx));
    return sent(signIn.delivery);
  },

  resetPassword: ({ ctx, body }, services) =>
    signInByLink(ctx, services, (visitor) => services.signIn.passwords.reset(body, visitor)),

  claimAccount: ({ ctx, body }, services) =>
    signInByLink(ctx, services, (visitor) => services.signIn.claims.claim(body, visitor)),

  /** `POST /account/link`: returns the purpose of a link; the token is in the body, since URLs are logged. */
  readLink: async ({ ctx, body }, { signIn, gateway }) => {
    const link = await signIn.readLink(body.token);
    if (link.purpose !== 'email') gateway.cookie.probe(ctx);
    return link;
  },

  confirmEmail: async ({ body }, { signIn }) => ({
    email: await signIn.emailChange.confirm(body.token),
  }),

  logIn: ({ ctx, body }, services) => signInUser(ctx, services, (visitor) => services.signIn.signIn(body, visitor)),

  /** `POST /account/log-out`: succeeds with any cookie, also an invalid one. */
  logOut: async ({ ctx }, services) => {
    const { cookie } = services.gateway;
    const presented = cookie.read(ctx);
    await services.signIn.browserSessions.end(presented?.token, presented?.kind);
    cookie.clear(ctx);
    ctx.status = 204;
  },
} satisfies Partial<Handlers>;
