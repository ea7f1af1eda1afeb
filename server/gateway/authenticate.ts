import type { Context, Middleware } from 'koa';
import type { AuthKind } from '#contract';
import type { Accounts } from '../accounts/index.ts';
import type { Budget } from '../budgets/index.ts';
import { AppError } from '../errors.ts';
import { secretHasForm } from '../ids.ts';
import type { Shares } from '../shares/index.ts';
import type { BrowserSessions } from '../sign-in/index.ts';
import type { SameOrigin, SessionCookie } from './session-cookie.ts';

/** Account that makes a request. */
export interface Caller {
  id: string;
  plan: string;
  email: string;
  /** The session token of the request; absent when the caller has a key or is logged in. */
  token?: CallerToken;
  /** Part of the account within which `Idempotency-Key` counts; absent: the whole account apart from its tokens. */
  idempotencyScope?: string;
}

/** Session token of a request. */
export interface CallerToken {
  /** Hash of the token. */
  id: string;
  /** Null until the token has created its session. */
  sessionId: string | null;
}

/** Fields that {@link createAuthenticate} adds to `ctx.state`. */
export interface GatewayState {
  account: Caller;
  /** Absent when the caller is logged in, or has a session token. */
  apiKeyId?: string;
  /** Absent when the caller has a key. */
  loginId?: string;
  /** True for an operator who has not given the password within the last minutes. */
  mustConfirm?: boolean;
  /** True for a log-in of an operator. */
  isOperator?: boolean;
  /** The link of a visitor without an account. */
  share?: Awaited<ReturnType<Shares['check']>>;
}

interface AuthenticateDeps {
  accounts: Pick<Accounts, 'keys' | 'tokens'>;
  browserSessions: Pick<BrowserSessions, 'check'>;
  cookie: SessionCookie;
  sameOrigin: SameOrigin;
  shares: Pick<Shares, 'check'>;
  /** Counts the requests of a link. */
  requests: Budget;
}

/**
 * Makes the middleware that finds out whose request it is, for each kind of endpoint. It reads headers alone, so it must
 * stand before whatever reads a body: a caller who may not call cannot make the service take in anything.
 * @throws AppError invalid_api_key, inactive_api_key, token_not_allowed, not_logged_in, cross_site_request, operator_required, account_suspended
 */
export function createAuthenticate(deps: AuthenticateDeps): Record<AuthKind, Middleware<GatewayState>> {
  const { accounts, browserSessions, cookie, sameOrigin } = deps;

  async function byKey(ctx: Context, presented: string): Promise<void> {
    const check = await accounts.keys.check(presented);
    if (check.outcome === 'inactive') throw new AppError('inactive_api_key', 'This API key is deactivated');
    if (check.outcome === 'suspended') throw suspended();
    // One message for all faults: a guessed key must not reveal its fault.
    if (check.outcome !== 'valid') throw new AppError('invalid_api_key', 'Invalid API key in the X-API-Key header');
    const { _id: id, plan, email } = check.account;
    ctx.state.account = { id, plan, email };
    ctx.state.apiKeyId = check.keyId;
  }

  async function byLogin(ctx: Context): Promise<'user' | 'operator'> {
    const presented = cookie.read(ctx);
    const check = await browserSessions.check(presented?.token, presented?.kind);
    if (check.outcome === 'unknown') {
      throw new AppError('not_logged_in', 'expected the cookie of a log-in that has not ended');
    }
    // Checked before the account's state is revealed.
    sameOrigin.require(ctx);
    if (check.outcome !== 'valid') throw suspended();
    const { id, plan, email, role } = check.account;
    ctx.state.account = { id, plan, email };
    ctx.state.loginId = check.loginId;
    ctx.state.isOperator = role === 'operator';
    ctx.state.mustConfirm = role === 'operator' && !check.confirmed;
    // The same URL has another response for the next user of this browser.
    ctx.set('Cache-Control', 'private, no-store');
    return role;
  }

  return {
    async key(ctx, next) {
      const presented = ctx.get('X-API-Key');
      if (secretHasForm('iwt', presented)) await byToken(deps, ctx, presented);
      else if (presented !== '') await byKey(ctx, presented);
      else if (cookie.read(ctx) !== undefined) await byLogin(ctx);
      else throw withoutKey(ctx);
      await next();
    },

    async login(ctx, next) {
      await byLogin(ctx);
      await next();
    },

    async operator(ctx, next) {
      if ((await byLogin(ctx)) !== 'operator') {
        throw new AppError('operator_required', 'Only an operator of this service may do this');
      }
      await next();
    },

    async share(ctx, next) {
      await byLink(deps, ctx);
      await next();
    },

    async none(ctx, next) {
      sameOrigin.refuseForeign(ctx);
      ctx.set('Cache-Control', 'no-store');
      await next();
    },
  };
}

function withoutKey(ctx: Context): AppError {
  const instead = ctx.get('Authorization') ? 'an Authorization header: the key is expected in X-API-Key' : 'none';
  return new AppError('invalid_api_key', `expected an API key in the X-API-Key header, but received ${instead}`);
}

/** Finds the account of a session token. @throws AppError invalid_api_key, inactive_api_key, token_not_allowed, account_suspended */
async function byToken({ accounts, sameOrigin }: AuthenticateDeps, ctx: Context, presented: string): Promise<void> {
  const check = await accounts.tokens.check(presented);
  if (check.outcome === 'inactive') {
    throw new AppError('inactive_api_key', 'The API key that made this session token is deactivated');
  }
  if (check.outcome === 'suspended') throw suspended();
  if (check.outcome !== 'valid') {
    throw new AppError('invalid_api_key', 'The session token in the X-API-Key header is unknown or has expired');
  }
  const { _id: tokenId, origin, sessionId } = check.token;
  if (!sameOrigin.isFrom(ctx, origin)) {
    const from = ctx.get('Origin').slice(0, 200) || 'none';
    throw new AppError('token_not_allowed', `expected Origin to be that of the session token, but received ${from}`);
  }
  const { _id: id, plan, email } = check.account;
  ctx.state.account = { id, plan, email, token: { id: tokenId, sessionId } };
}

/** Requests of a link's visitors in a minute: a page of 300 images is opened twice. Answers have a limit of their own. */
const VISITS = { limit: 1200, windowMs: 60_000 };
const ANSWERS = { limit: 60, windowMs: 60_000 };

/** Finds the link of a visitor; neither a key nor a log-in counts here. @throws AppError share_not_found, cross_site_request, rate_limited */
async function byLink({ shares, sameOrigin, requests }: AuthenticateDeps, ctx: Context): Promise<void> {
  sameOrigin.refuseForeign(ctx);
  const share = await shares.check(ctx.get('X-Share-Token'));
  const [most, what] = ctx.method === 'POST' ? [ANSWERS, 'answers'] : [VISITS, 'requests'];
  const { isTaken, endsInMs } = await requests.take([{ key: `${share._id}:${what}`, ...most }]);
  if (!isTaken) {
    const seconds = Math.max(1, Math.ceil(endsInMs / 1000));
    throw new AppError('rate_limited', `At most ${most.limit} ${what} a minute by one link`, {
      details: { limit: most.limit },
      headers: { 'Retry-After': String(seconds) },
    });
  }
  ctx.state.share = share;
}

function suspended(): AppError {
  return new AppError('account_suspended', 'This account is suspended');
}

interface ThrottleDeps {
  accounts: Pick<Accounts, 'plans'>;
  /** Counts the requests of an account. */
  requests: Budget;
}

/**
 * Creates the middleware that applies each plan's rate limit per account, in windows that begin with a request. A plan
 * without a limit is not counted. Header fields follow draft-ietf-httpapi-ratelimit-headers-11. Must run after the
 * authentication.
 * @throws AppError rate_limited
 */
export function createThrottle({ accounts, requests }: ThrottleDeps): Middleware<GatewayState> {
  return async (ctx, next) => {
    const { id, plan } = ctx.state.account;
    const limit = accounts.plans.get(plan).rateLimit;
    if (!limit) return next();

    // A plan whose window has another length by now begins a new one.
    const key = `${id}:${limit.windowSeconds}`;
    const window = { key, limit: limit.requests, windowMs: limit.windowSeconds * 1000 };
    const { isTaken, left, endsInMs } = await requests.take([window]);
    const seconds = Math.max(1, Math.ceil(endsInMs / 1000));
    const headers = {
      'RateLimit-Policy': `"${plan}";q=${limit.requests};w=${limit.windowSeconds}`,
      RateLimit: `"${plan}";r=${left};t=${seconds}`,
    };
    if (!isTaken) {
      throw new AppError(
        'rate_limited',
        `At most ${limit.requests} requests in ${limit.windowSeconds} seconds on the plan ${plan}; try again in ${seconds} seconds`,
        { details: { limit: limit.requests }, headers: { ...headers, 'Retry-After': String(seconds) } },
      );
    }
    ctx.set(headers);
    await next();
  };
}
