// Owns HTTP: Koa, routes, validation, streams, downloads. Uses other modules through their index. Must not know database or pixels.
export { createApp } from './app.ts';
export { createOpenRequests } from './client-limits.ts';
export { createOpenApi } from './downloads/document.ts';
export type { Services } from './handlers.ts';
export { type HttpServer, listen } from './server.ts';
export { createStartingApp } from './starting-app.ts';
export { createArrivingBytes } from './uploads/arriving-bytes.ts';
