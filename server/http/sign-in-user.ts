import type { Context } from 'koa';
import type { Profile } from '#contract';
import type { OpenedBrowserSession } from '../sign-in/index.ts';
import type { Services } from './services.ts';
import { showProfile } from './show-profile.ts';
import { visitorOf } from './visitor.ts';

/**
 * Lets somebody in: the browser gets the cookie of the new log-in, the one it had is ended, and the answer is the profile.
 * @throws tls_required, before anything is done, where the browser would drop the cookie
 */
export async function signInUser(
  ctx: Context,
  services: Services,
  open: (visitor: ReturnType<typeof visitorOf>) => Promise<OpenedBrowserSession>,
): Promise<Profile> {
  const { cookie } = services.gateway;
  cookie.requireUsable(ctx);
  const before = cookie.read(ctx);
  const opened = await open(visitorOf(ctx));
  // A cookie that somebody else has planted, or that is lying around, is worth nothing from here on.
  await services.signIn.browserSessions.end(before);
  cookie.write(ctx, opened);
  return showProfile(opened.accountId, services);
}
