import Router from '@koa/router';
import Koa, { type Context, type Next } from 'koa';
import { AppError } from '../errors.ts';
import { newRequestId } from '../observability/index.ts';
import { createHostCheck } from './check-host.ts';
import { checkMessage } from './check-message.ts';
import type { Refusal } from './client-error.ts';
import { createCors } from './cors.ts';
import type { Route } from './define-route.ts';
import { createDocsPages } from './downloads/docs/index.ts';
import { createPages } from './downloads/pages.ts';
import { createErrorHandler } from './error-handler.ts';
import { createJsonBody } from './json-body.ts';
import { createOperationsRoutes } from './operations.ts';
import { ROUTES } from './routes/index.ts';
import { createSafetyHeaders, isPrivate, NOT_STORED } from './safety-headers.ts';
import type { Services } from './services.ts';
import { createTokenScope } from './token-scope.ts';
import { validate } from './validate.ts';

/** Status in the log and metrics for a connection that ended before a response was sent; the number is nginx's. */
const NO_RESPONSE = 499;

/** Builds the Koa application over the services. */
export function createApp(services: Services): Koa {
  const app = new Koa({ proxy: services.config.TRUST_PROXY > 0, maxIpsCount: services.config.TRUST_PROXY });
  // Errors outside of the error handler come from closed sockets; the log replaces Koa's output.
  app.on('error', (error: Error) => services.logger.debug({ err: error }, 'connection error'));
  app.on('refused', (refusal: Refusal) => logRefusal(refusal, services));
  app.use(createRequestLog(services));
  app.use(createSafetyHeaders(services.config));
  app.use(createErrorHandler(services));
  app.use(checkMessage);
  app.use(createHostCheck(services.config));
  const router = createRouter(services);
  const endpoints = routesOf(services).map(({ endpoint }) => endpoint);
  app.use(
    createCors(services.config, (path) => {
      const patterns = router.match(path, 'OPTIONS').path.map((layer) => layer.path);
      return endpoints.filter((endpoint) => patterns.includes(endpoint.path));
    }),
  );
  app.use(router.routes());
  app.use(router.allowedMethods());
  return app;
}

function createRouter(services: Services): Router {
  const router = new Router();
  const pages = services.servesApi ? [...createDocsPages(services.openApi.document), ...createPages()] : [];
  const plain = [...createOperationsRoutes(services), ...pages];
  for (const { path, handler } of plain) router.get(path, handler);
  for (const route of routesOf(services)) {
    const { method, path } = route.endpoint;
    router.register(path, [method], [...stepsBefore(route, services), createHandler(route, services)]);
  }
  return router;
}

function routesOf({ servesApi }: Services): typeof ROUTES {
  return servesApi ? ROUTES : [];
}

/** Returns the middleware before a handler and before any body is read. Rate limits apply to endpoints with an API key. */
function stepsBefore({ endpoint }: Route, services: Services) {
  const { gateway } = services;
  const { auth } = endpoint;
  if (auth === 'key') return [gateway.authenticate.key, gateway.throttle, createTokenScope(endpoint, services)];
  // Public documents need no authentication.
  return isPrivate(endpoint) ? [gateway.authenticate[auth]] : [];
}

function createHandler({ endpoint, handle }: Route, services: Services) {
  const readJson = createJsonBody({ limitKb: services.config.JSON_LIMIT_KB });
  return async (ctx: Context): Promise<void> => {
    const params = endpoint.params && validatePath(endpoint.params, ctx);
    const query = endpoint.query && validate(endpoint.query, { ...ctx.query }, 'query');
    const json = endpoint.bodyKind === 'json' ? await readJson(ctx) : undefined;
    const body = endpoint.bodyKind === 'json' && endpoint.body ? validate(endpoint.body, json, 'body') : undefined;
    // A handler of files or streams replaces it.
    if (isPrivate(endpoint)) ctx.set('Cache-Control', NOT_STORED);
    const { account, loginId, isOperator, mustConfirm, share } = ctx.state;
    const input = { ctx, account, loginId, isOperator, mustConfirm, share, params, query, body } as never;
    const responseBody = await handle(input, services);
    if (responseBody !== undefined) {
      ctx.status = endpoint.success.status;
      ctx.body = responseBody;
    }
  };
}

/** Validates the path parameters. A malformed id responds like an unknown one. @throws the 404 of its kind */
function validatePath(schema: NonNullable<Route['endpoint']['params']>, ctx: Context): unknown {
  const parsed = schema.safeParse((ctx as Context & { params: unknown }).params);
  if (parsed.success) return parsed.data;
  const field = String(parsed.error.issues[0]?.path[0]);
  const what = field.replace('Id', '');
  const code = (
    { session: 'session_not_found', image: 'image_not_found', job: 'job_not_found', share: 'share_not_found' } as const
  )[what];
  throw new AppError(code ?? 'not_found', `No such ${what}: ${parsed.error.issues[0]?.message ?? ''}`);
}

/** Logs and counts a response to something that was no complete request. */
function logRefusal({ requestId, status }: Refusal, { logger, metrics }: Services): void {
  const [route, method] = ['unmatched', 'unknown'];
  metrics.requestFinished({ route, method, status, seconds: 0 });
  logger.info({ requestId, method, route, status }, 'request');
}

function createRequestLog({ logger, metrics, isStopping }: Services) {
  return async (ctx: Context, next: Next): Promise<void> => {
    const started = performance.now();
    ctx.state.requestId = newRequestId();
    ctx.set('X-Request-Id', ctx.state.requestId);
    // A kept connection would be closed under the next request.
    if (isStopping()) ctx.set('Connection', 'close');
    ctx.res.once('close', () => {
      const seconds = (performance.now() - started) / 1000;
      const { method } = ctx;
      const status = ctx.res.headersSent ? ctx.res.statusCode : NO_RESPONSE;
      const route = (ctx as Context & { _matchedRoute?: string })._matchedRoute ?? 'unmatched';
      metrics.requestFinished({ route: String(route), method, status, seconds });
      const sent = Number(ctx.res.getHeader('content-length') ?? 0);
      if (sent > 0) metrics.bytesSent(sent);
      const level = route === '/healthz' || route === '/readyz' || route === '/metrics' ? 'debug' : 'info';
      const { requestId, account } = ctx.state as { requestId: string; account?: { id: string } };
      logger[level](
        { requestId, accountId: account?.id, method, route, status, ms: Math.round(seconds * 1000) },
        'request',
      );
    });
    await next();
  };
}
