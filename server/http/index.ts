// Owns HTTP: Koa, routes, validation, streams, downloads. Uses other modules through their index. Must not know database or pixels.
export { createApp } from './app.ts';
export { createOpenApi } from './downloads/document.ts';
export type { Services } from './handlers.ts';
export { createOpenRequests } from './open-requests.ts';
export { type HttpServer, listen } from './server.ts';
