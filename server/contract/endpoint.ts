import type { z } from 'zod';
import type { ErrorCode } from './error-codes.ts';

/** How an endpoint takes its body. */
export type BodyKind = 'none' | 'json' | 'multipart-or-json';

/** One row of the endpoint table: all that routing, validation and the OpenAPI document need. */
export interface Endpoint {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Koa-style path, e.g. `/v1/jobs/:jobId`. */
  path: `/v1/${string}`;
  tag: 'Sessions' | 'Analysis' | 'Export' | 'Jobs' | 'Credits' | 'Service';
  summary: string;
  /** False for the documents that need no key. */
  authenticated: boolean;
  params?: z.ZodObject;
  query?: z.ZodObject;
  bodyKind: BodyKind;
  body?: z.ZodType;
  /** True when the endpoint honours `Idempotency-Key`. */
  idempotent: boolean;
  success: { status: 200 | 201 | 204; kind: 'json' | 'stream' | 'binary' | 'empty'; schema?: z.ZodType };
  /** Codes of its own, beside those that every endpoint can answer with. */
  errors: readonly ErrorCode[];
}
