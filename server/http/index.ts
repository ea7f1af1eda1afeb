// Owns HTTP: Koa, routes, validation, streams, downloads. Knows the modules' front doors; knows no database and no pixels.
export { createApp } from './app.ts';
export { type HttpServer, listen } from './server.ts';
export type { Services } from './services.ts';
