import { createServer } from 'node:http';
import Router from '@koa/router';
import Koa from 'koa';
import type { StaticRoute } from '../../server/http/downloads/pages.ts';
import { serveLocally } from '../support/serve-locally.ts';

/** Serves routes as the service does, without its other parts. */
export async function startStaticServer(routes: StaticRoute[]): Promise<{ url: string; close(): Promise<void> }> {
  const router = new Router();
  for (const { path, handler } of routes) router.get(path, handler);
  const app = new Koa();
  app.use(router.routes());
  return await serveLocally(createServer(app.callback()));
}
