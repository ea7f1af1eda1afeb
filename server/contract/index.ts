// Owns the wire contract: schemas, error catalogue, limits, events, endpoint table. Knows zod and nothing of the service.
export * from './analyze.ts';
export * from './credits.ts';
export { type BodyKind, ENDPOINTS, type Endpoint, type EndpointName } from './endpoints.ts';
export { ERROR_CATALOGUE, type ErrorCode } from './error-codes.ts';
export * from './exports.ts';
export * from './ids.ts';
export * from './images.ts';
export * from './limits.ts';
export { buildOpenApi, errorCodesOf } from './openapi.ts';
export { type Session, sessionSchema } from './sessions.ts';
export * from './settings.ts';
export * from './warnings.ts';
