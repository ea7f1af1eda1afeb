import type { Context, Next } from 'koa';
import { AppError, toWireError } from '../errors.ts';
import type { Logger, Metrics } from '../observability/index.ts';
import { NOT_STORED } from './safety-headers.ts';

/** Refuses a request without a route. The router has set `Allow` if the path exists with other methods. */
function refuseUnmatched(ctx: Context): void {
  const asked = `${ctx.method} ${ctx.path.slice(0, 200)}`;
  const allowed = String(ctx.response.get('Allow'));
  // The router responds 501 to a method that no route has, also if the path exists.
  if ((ctx.status === 405 || ctx.status === 501) && allowed !== '') {
    throw new AppError('method_not_allowed', `Expected one of ${allowed} for this path, but received ${asked}`);
  }
  if (ctx.status === 404 || ctx.status === 501) throw new AppError('not_found', `No such path: ${asked}`);
}

/** Creates the middleware that responds to thrown errors; those of the server (5xx) are logged with their cause. */
export function createErrorHandler({ logger, metrics }: { logger: Logger; metrics: Pick<Metrics, 'unexpectedError'> }) {
  return async function handleErrors(ctx: Context, next: Next): Promise<void> {
    try {
      await next();
      if (ctx.respond !== false && ctx.body === undefined) refuseUnmatched(ctx);
    } catch (thrown) {
      const { requestId } = ctx.state as { requestId: string };
      const wire = toWireError(thrown, requestId);
      if (wire.status >= 500)
        logger.error({ err: (thrown as Error).cause ?? thrown, requestId, code: wire.body.code }, wire.body.error);
      if (wire.body.code === 'internal_error') metrics.unexpectedError('request');
      if (ctx.res.headersSent || !ctx.writable) {
        ctx.res.destroy();
        ctx.respond = false;
        return;
      }
      ctx.status = wire.status;
      ctx.set(wire.headers);
      ctx.set('Cache-Control', NOT_STORED);
      ctx.body = wire.body;
    }
  };
}
