import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Router from '@koa/router';
import Koa from 'koa';
import type { StaticRoute } from '../../server/http/downloads/pages.ts';

/** Serves routes as the service does, without its other parts. */
export async function startStaticServer(routes: StaticRoute[]): Promise<{ url: string; close(): Promise<void> }> {
  const router = new Router();
  for (const { path, handler } of routes) router.get(path, handler);
  const app = new Koa();
  app.use(router.routes());
  const server = createServer(app.callback());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
