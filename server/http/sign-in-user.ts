import type { Context } from 'koa';
import type { Profile } from '#contract';
import { AppError } from '../errors.ts';
import type { OpenedBrowserSession, Visitor } from '../sign-in/index.ts';
import type { Services } from './handlers.ts';
import { actorOf } from './operate.ts';

/**
 * Signs the user in, sets the cookie, ends the browser's former session and returns the profile.
 * @throws tls_required, before any change, if the browser would drop the cookie
 */
export async function signInUser(
  ctx: Context,
  services: Services,
  open: (visitor: ReturnType<typeof visitorOf>) => Promise<OpenedBrowserSession>,
): Promise<Profile> {
  const { cookie } = services.gateway;
  cookie.requireUsable(ctx);
  const before = cookie.read(ctx);
  const opened = await open({ ...visitorOf(ctx), cookie: cookie.kindFor(ctx) });
  // Ends a session whose cookie was planted by an attacker or left behind (session fixation).
  await services.signIn.browserSessions.end(before?.token, before?.kind);
  const profile = await showProfile(opened.accountId, services);
  const hand = async () => cookie.write(ctx, opened);
  if (profile.role === 'operator') {
    const actor = actorOf({ ctx, account: { id: profile.accountId, email: profile.email } });
    await services.accounts.operatorLog.record(actor, { action: 'log-in', target: profile.accountId }, hand);
  } else await hand();
  return profile;
}

/**
 * Signs the user in by a one-time link.
 * @throws tls_required, cookie_refused before the link is used, if the browser would drop the cookie
 */
export async function signInByLink(...[ctx, services, open]: Parameters<typeof signInUser>): Promise<Profile> {
  const { cookie } = services.gateway;
  cookie.requireUsable(ctx);
  cookie.requireProbe(ctx);
  return signInUser(ctx, services, open);
}

/** Returns the profile of the signed-in account. @throws not_logged_in if the account was deleted */
export async function showProfile(accountId: string, { accounts }: Services): Promise<Profile> {
  const account = await accounts.find(accountId);
  if (!account) throw new AppError('not_logged_in', 'The account does not exist any more');
  const { email, pendingEmail, role, plan, balance, used, granted, keys, createdAt } = account;
  return {
    accountId,
    email,
    pendingEmail,
    role,
    plan,
    balance,
    used,
    granted,
    keys,
    limits: await accounts.limits.show(accountId),
    createdAt: createdAt.toISOString(),
  };
}

/** Returns the client's address and user agent; `TRUST_PROXY` decides how far `X-Forwarded-For` is trusted. */
export function visitorOf(ctx: Context): Visitor {
  return { address: ctx.ip, userAgent: ctx.get('User-Agent') };
}
