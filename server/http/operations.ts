import type { Context } from 'koa';
import type { Services } from './services.ts';

/** Creates the routes of health, readiness and metrics, outside /v1 and without authentication. */
export function createOperationsRoutes({ checkReadiness, describeHealth, metrics, logger }: Services) {
  return [
    {
      path: '/healthz',
      async handler(ctx: Context) {
        ctx.body = { status: 'ok', ...describeHealth() };
      },
    },
    {
      path: '/readyz',
      async handler(ctx: Context) {
        try {
          await checkReadiness();
          ctx.body = { status: 'ready' };
        } catch (error) {
          logger.warn({ err: error }, 'not ready');
          ctx.status = 503;
          ctx.set('Retry-After', '5');
          ctx.body = { status: 'unavailable' };
        }
      },
    },
    {
      path: '/metrics',
      async handler(ctx: Context) {
        ctx.type = metrics.contentType;
        ctx.body = await metrics.text();
      },
    },
  ];
}
