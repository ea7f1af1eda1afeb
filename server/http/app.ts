import Router from '@koa/router';
import Koa, { type Context, type Middleware, type Next } from 'koa';
import { type Endpoint, SAMPLE_SUFFIX } from '#contract';
import { AppError, isUnwritable, NotReadyError, toWireError } from '../errors.ts';
import type { Caller, GatewayState } from '../gateway/index.ts';
import { type Logger, type Metrics, newRequestId } from '../observability/index.ts';
import type { WriteProbe } from '../storage/index.ts';
import { VERSION } from '../version.ts';
import { createDocsPages } from './downloads/docs/index.ts';
import { createPages } from './downloads/pages.ts';
import type { Services } from './handlers.ts';
import {
  answerOptions,
  checkMessage,
  createCors,
  createHostCheck,
  createSafetyHeaders,
  isPrivate,
  NOT_STORED,
} from './middleware.ts';
import { createProofRoute } from './prove-installation.ts';
import { createJsonBody, validate } from './read-request.ts';
import { ROUTES, type Route } from './routes/index.ts';
import type { Refusal } from './server.ts';

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
  app.use(answerOptions);
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
  const proof = services.servesApi ? [createProofRoute(services)] : [];
  const plain = [...createOperationsRoutes(services), ...proof, ...pages];
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
    const schema = endpoint.takesFiles ? undefined : endpoint.body;
    const body = schema && validate(schema, await readJson(ctx), 'body');
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

function createRequestLog({ logger, metrics, stopping }: Services) {
  return async (ctx: Context, next: Next): Promise<void> => {
    const started = performance.now();
    ctx.state.requestId = newRequestId();
    ctx.set('X-Request-Id', ctx.state.requestId);
    // A kept connection would be closed under the next request.
    if (stopping.aborted) ctx.set('Connection', 'close');
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

/** Refuses a request without a route. The router has set `Allow` if the path exists with other methods. */
function refuseUnmatched(ctx: Context): void {
  const requested = `${ctx.method} ${ctx.path.slice(0, 200)}`;
  const allowed = String(ctx.response.get('Allow'));
  // The router responds 501 to a method that no route has, also if the path exists.
  if ((ctx.status === 405 || ctx.status === 501) && allowed !== '') {
    throw new AppError('method_not_allowed', `Expected one of ${allowed} for this path, but received ${requested}`);
  }
  if (ctx.status === 404 || ctx.status === 501) throw new AppError('not_found', `No such path: ${requested}`);
}

interface ErrorHandlerDeps {
  logger: Logger;
  metrics: Pick<Metrics, 'unexpectedError'>;
  writeProbe: Pick<WriteProbe, 'suspect'>;
}

/** Creates the middleware that responds to thrown errors; those of the server (5xx) are logged with their cause. */
export function createErrorHandler({ logger, metrics, writeProbe }: ErrorHandlerDeps) {
  return async function handleErrors(ctx: Context, next: Next): Promise<void> {
    try {
      await next();
      if (ctx.respond !== false && ctx.body === undefined) refuseUnmatched(ctx);
    } catch (thrown) {
      const { requestId } = ctx.state as { requestId: string };
      const wire = toWireError(thrown, requestId);
      if (wire.status >= 500)
        logger.error({ err: (thrown as Error).cause ?? thrown, requestId, code: wire.body.code }, wire.body.error);
      if (isUnwritable(thrown)) writeProbe.suspect();
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

/**
 * Creates the middleware that refuses a session token at endpoints that are not opened to tokens, and treats other sessions
 * than its own as not existing. Must run after the authentication.
 * @throws AppError token_not_allowed, session_not_found, job_not_found
 */
function createTokenScope(endpoint: Endpoint, { jobs }: Pick<Services, 'jobs'>): Middleware<GatewayState> {
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

/** Creates the routes of health, readiness and metrics, outside /v1 and without authentication. */
function createOperationsRoutes({ checkReadiness, describeHealth, metrics, logger }: Services) {
  return [
    {
      path: '/healthz',
      async handler(ctx: Context) {
        ctx.body = { status: 'ok', version: VERSION, ...describeHealth() };
      },
    },
    {
      path: '/readyz',
      async handler(ctx: Context) {
        try {
          const { isDiskFull } = await checkReadiness();
          ctx.body = { status: 'ready', ...(isDiskFull && { disk: 'full' }) };
        } catch (error) {
          logger.warn({ err: error }, 'not ready');
          ctx.status = 503;
          ctx.set('Retry-After', '5');
          const reason = error instanceof NotReadyError ? error.message : 'a check failed; see the log';
          ctx.body = { status: 'unavailable', reason };
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
