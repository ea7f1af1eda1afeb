import type { Context, Next } from 'koa';
import { AppError, toWireError } from '../errors.ts';
import type { Logger } from '../observability/index.ts';

/** Turns whatever is thrown below into the one shape of error answers; what is our fault is logged with its cause. */
export function createErrorHandler({ logger }: { logger: Logger }) {
  return async function handleErrors(ctx: Context, next: Next): Promise<void> {
    try {
      await next();
      if (ctx.respond !== false && ctx.status === 404 && ctx.body === undefined) {
        throw new AppError('not_found', `No such path: ${ctx.method} ${ctx.path.slice(0, 200)}`);
      }
    } catch (thrown) {
      const { requestId } = ctx.state as { requestId: string };
      const wire = toWireError(thrown, requestId);
      if (wire.status >= 500)
        logger.error({ err: (thrown as Error).cause ?? thrown, requestId, code: wire.body.code }, wire.body.error);
      if (ctx.res.headersSent || !ctx.writable) {
        ctx.res.destroy();
        ctx.respond = false;
        return;
      }
      ctx.status = wire.status;
      ctx.set(wire.headers);
      ctx.body = wire.body;
    }
  };
}
