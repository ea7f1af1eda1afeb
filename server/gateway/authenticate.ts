import type { Middleware } from 'koa';
import type { Accounts } from '../accounts/index.ts';
import { AppError } from '../errors.ts';

/** Who makes a request. */
export interface Caller {
  id: string;
  plan: string;
  email: string;
}

/** What {@link createAuthenticate} puts into `ctx.state`. */
export interface GatewayState {
  account: Caller;
  apiKeyId: string;
}

/**
 * Makes the middleware that resolves `X-API-Key` to the account. It reads headers alone, so it must stand before
 * whatever reads a body: a caller without a valid key cannot make the service take in anything.
 * @throws AppError invalid_api_key, inactive_api_key, account_suspended
 */
export function createAuthenticate({ accounts }: { accounts: Accounts }): Middleware<GatewayState> {
  return async (ctx, next) => {
    const presented = ctx.get('X-API-Key');
    if (presented === '') {
      throw new AppError('invalid_api_key', 'expected an API key in the X-API-Key header, but received none');
    }
    const check = await accounts.keys.check(presented);
    if (check.outcome === 'inactive') throw new AppError('inactive_api_key', 'This API key is deactivated');
    if (check.outcome === 'suspended') throw new AppError('account_suspended', 'This account is suspended');
    // One answer for both: what is wrong with a guessed key is nobody's business.
    if (check.outcome !== 'valid') throw new AppError('invalid_api_key', 'Invalid API key in the X-API-Key header');
    const { _id: id, plan, email } = check.account;
    ctx.state.account = { id, plan, email };
    ctx.state.apiKeyId = check.keyId;
    await next();
  };
}
