import type { Context } from 'koa';
import { AppError } from '../../errors.ts';
import type { Caller } from '../../gateway/index.ts';
import type { Services } from '../services.ts';

/** Streams that one session token may have open at once: visitors of a page leave room for the account. */
const STREAMS_PER_TOKEN = 16;

/**
 * Counts a stream of an account on this server until its connection is closed, or its response has ended. Must come before any
 * work or charge.
 * @throws AppError rate_limited
 */
export function enterStream(ctx: Context, account: Caller, services: Services): void {
  const { id, plan, token } = account;
  const most = services.accounts.plans.get(plan).streams;
  const limits = [{ key: id, most, what: 'streams of one account' }];
  if (token)
    limits.push({ key: token.id, most: Math.min(most, STREAMS_PER_TOKEN), what: 'streams of one session token' });
  try {
    const leave = services.openStreams.enter(limits);
    if (ctx.res.closed) leave();
    else ctx.res.once('close', leave);
  } catch (error) {
    if (error instanceof AppError) services.metrics.streamRefused();
    throw error;
  }
}
