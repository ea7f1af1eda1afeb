import type { z } from 'zod';
import type { ErrorCode } from './error-codes.ts';

/** Encoding of request bodies. */
export type BodyKind = 'none' | 'json' | 'multipart-or-json';

/**
 * Authentication of an endpoint. `key`: an API key, or the log-in cookie from a page of this service; `login`: the log-in
 * cookie; `operator`: the log-in cookie of an operator; `share`: the token of a link to a session; `none`: none.
 */
export type AuthKind = 'key' | 'login' | 'operator' | 'share' | 'none';

/** One row of the endpoint table, for routing, validation and the OpenAPI document. */
export interface Endpoint {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Koa-style path, e.g. `/v1/jobs/:jobId`. */
  path: `/v1/${string}` | `/account/${string}` | `/shared/${string}`;
  tag: 'Sessions' | 'Analysis' | 'Export' | 'Jobs' | 'Credits' | 'Shares' | 'Account' | 'Operator' | 'Service';
  summary: string;
  auth: AuthKind;
  /**
   * Opens the endpoint to session tokens: `session`, if the path names the token's session; `job`, if it names a job of that
   * session; `create`, if it creates the session; `price`, if it shows no more than the token may spend and the
   * limits of the service. Absent: closed.
   */
  token?: 'session' | 'job' | 'create' | 'price';
  params?: z.ZodObject;
  query?: z.ZodObject;
  bodyKind: BodyKind;
  body?: z.ZodType;
  /** True if the endpoint honours `Idempotency-Key`. */
  idempotent: boolean;
  success: {
    status: 200 | 201 | 202 | 204;
    kind: 'json' | 'stream' | 'binary' | 'csv' | 'jsonl' | 'empty';
    schema?: z.ZodType;
  };
  /** Error codes besides those of every endpoint. */
  errors: readonly ErrorCode[];
}
