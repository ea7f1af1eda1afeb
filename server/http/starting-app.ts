import Koa, { type Context } from 'koa';
import { AppError, toWireError } from '../errors.ts';
import { newRequestId } from '../observability/index.ts';
import { VERSION } from '../version.ts';
import type { HttpConfig } from './config.ts';
import { checkMessage, createHostCheck, createSafetyHeaders, NOT_STORED } from './middleware.ts';

const RETRY_AFTER = { 'Retry-After': '5' };

/**
 * Builds the application that answers while the service has no database yet: it lives (`/healthz`), is not ready (`/readyz`), and
 * everything else is asked for again later.
 */
export function createStartingApp(config: HttpConfig): Koa {
  const app = new Koa();
  const checkHost = createHostCheck(config);
  // Closed sockets; nothing is lost.
  app.on('error', () => {});
  app.use(async (ctx, next) => {
    const requestId = newRequestId();
    ctx.set('X-Request-Id', requestId);
    try {
      await next();
    } catch (thrown) {
      const wire = toWireError(thrown, requestId);
      ctx.status = wire.status;
      ctx.set({ ...wire.headers, 'Cache-Control': NOT_STORED });
      ctx.body = wire.body;
    }
  });
  app.use(createSafetyHeaders(config));
  app.use(checkMessage);
  app.use(checkHost);
  app.use(answer);
  return app;
}

/** Answers one request. @throws AppError database_unavailable */
async function answer(ctx: Context): Promise<void> {
  if (ctx.path === '/healthz') {
    ctx.body = { status: 'ok', version: VERSION };
    return;
  }
  if (ctx.path === '/readyz') {
    ctx.status = 503;
    ctx.set(RETRY_AFTER);
    ctx.body = { status: 'unavailable', reason: 'the service starts and does not have its database yet' };
    return;
  }
  const message = 'The service starts and does not have its database yet';
  throw new AppError('database_unavailable', message, { headers: RETRY_AFTER });
}
