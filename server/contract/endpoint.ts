import type { z } from 'zod';
import type { ErrorCode } from './error-codes.ts';

/** How an endpoint takes its body. */
export type BodyKind = 'none' | 'json' | 'multipart-or-json';

/**
 * Who may call an endpoint. `key`: whoever sends an API key, or the log-in cookie from a page of this service;
 * `login`: the log-in cookie alone; `operator`: the same, of an operator's account; `none`: anybody.
 */
export type AuthKind = 'key' | 'login' | 'operator' | 'none';

/** One row of the endpoint table: all that routing, validation and the OpenAPI document need. */
export interface Endpoint {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Koa-style path, e.g. `/v1/jobs/:jobId`. */
  path: `/v1/${string}` | `/account/${string}`;
  tag: 'Sessions' | 'Analysis' | 'Export' | 'Jobs' | 'Credits' | 'Account' | 'Operator' | 'Service';
  summary: string;
  auth: AuthKind;
  params?: z.ZodObject;
  query?: z.ZodObject;
  bodyKind: BodyKind;
  body?: z.ZodType;
  /** True when the endpoint honours `Idempotency-Key`. */
  idempotent: boolean;
  success: { status: 200 | 201 | 202 | 204; kind: 'json' | 'stream' | 'binary' | 'csv' | 'empty'; schema?: z.ZodType };
  /** Codes of its own, beside those that every endpoint can answer with. */
  errors: readonly ErrorCode[];
}
