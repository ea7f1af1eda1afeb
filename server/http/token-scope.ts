import type { Context, Middleware } from 'koa';
import { type Endpoint, SAMPLE_SUFFIX } from '#contract';
import { AppError } from '../errors.ts';
import type { Caller, GatewayState } from '../gateway/index.ts';
import type { Services } from './services.ts';

/**
 * Creates the middleware that refuses a session token at endpoints that are not opened to tokens, and treats other sessions
 * than its own as not existing. Must run after the authentication.
 * @throws AppError token_not_allowed, session_not_found, job_not_found
 */
export function createTokenScope(endpoint: Endpoint, { jobs }: Pick<Services, 'jobs'>): Middleware<GatewayState> {
  return async (ctx, next) => {
    const { account } = ctx.state;
    if (account.token) {
      await requireScope(ctx, endpoint, account, jobs);
      // Sessions of other tokens must not be able to use up or observe idempotency keys.
      account.idempotencyScope = endpoint.token === 'create' ? account.token.id : String(account.token.sessionId);
    }
    await next();
  };
}

async function requireScope(
  ctx: Context,
  { token: opened, method, path }: Endpoint,
  { id, token }: Caller,
  jobs: Services['jobs'],
): Promise<void> {
  if (opened === undefined) {
    throw new AppError('token_not_allowed', `A session token does not allow ${method} ${path}; use an API key`);
  }
  const params = (ctx as Context & { params: Record<string, string> }).params;
  if (opened === 'session' && params.sessionId?.replace(SAMPLE_SUFFIX, '') !== token?.sessionId) {
    throw new AppError('session_not_found', 'The session token is for another session');
  }
  if (opened === 'job' && (await jobs.find(id, params.jobId ?? '')).sessionId !== token?.sessionId) {
    // Equal to the response for an unknown job.
    throw new AppError('job_not_found', `No job ${params.jobId}`);
  }
}
