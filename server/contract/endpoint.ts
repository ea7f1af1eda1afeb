import type { z } from 'zod';
import { FILE_ERRORS, FORMATS, INPUT_FORMATS } from './constants/index.ts';
import type { ErrorCode } from './error-codes.ts';

/**
 * Authentication of an endpoint. `key`: an API key, or the log-in cookie from a page of this service; `login`: the log-in
 * cookie; `operator`: the log-in cookie of an operator; `share`: the token of a link to a session; `none`: none.
 */
export type AuthKind = 'key' | 'login' | 'operator' | 'share' | 'none';

/** Media types of uploads. */
export const UPLOAD_TYPES = INPUT_FORMATS.map((format) => FORMATS[format].mimeType);
/** Media types of exported files: `original` keeps the format of an upload where that can be written. */
export const FILE_TYPES = [
  ...new Set(Object.values(FORMATS).flatMap(({ original }) => (original === null ? [] : [FORMATS[original].mimeType]))),
];
/** Media type of previews. */
export const PREVIEW_TYPES = [FORMATS.webp.mimeType];

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
  /** The JSON body. Absent: the request has none. */
  body?: z.ZodType;
  /** True if the body may be multipart instead, with files. */
  takesFiles?: true;
  /** True if the endpoint honours `Idempotency-Key`. */
  idempotent: boolean;
  success: {
    status: 200 | 201 | 202 | 204;
    kind: 'json' | 'stream' | 'binary' | 'csv' | 'jsonl' | 'empty';
    schema?: z.ZodType;
    /** Media types of the files. */
    media?: readonly string[];
  };
  /** Error codes besides those of every endpoint. */
  errors: readonly ErrorCode[];
}

/** Errors of every endpoint that uses the database and the files. */
const COMMON_ERRORS: ErrorCode[] = [
  'invalid_request',
  'internal_error',
  'shutting_down',
  'database_unavailable',
  'storage_unavailable',
  'record_damaged',
  'insufficient_storage',
];
const LOGIN_ERRORS: ErrorCode[] = ['not_logged_in', 'cross_site_request', 'account_suspended'];
const AUTH_ERRORS: Record<Endpoint['auth'], ErrorCode[]> = {
  key: [...LOGIN_ERRORS, 'invalid_api_key', 'inactive_api_key', 'token_not_allowed', 'rate_limited'],
  login: LOGIN_ERRORS,
  operator: [...LOGIN_ERRORS, 'operator_required'],
  share: ['share_not_found', 'cross_site_request', 'rate_limited'],
  none: ['cross_site_request'],
};
const BODY_ERRORS: ErrorCode[] = ['invalid_json', 'request_too_large', 'unsupported_media_type', 'request_timeout'];
const IDEMPOTENCY_ERRORS: ErrorCode[] = ['invalid_idempotency_key', 'idempotency_in_progress', 'idempotency_mismatch'];

/** Returns every error code of an endpoint. */
export function errorCodesOf(endpoint: Endpoint): ErrorCode[] {
  const codes = new Set<ErrorCode>([...endpoint.errors, 'headers_too_large', 'misdirected_request']);
  // Public documents under /v1 need neither the database nor authentication.
  if (endpoint.auth !== 'none' || endpoint.path.startsWith('/account/')) {
    for (const code of [...COMMON_ERRORS, ...AUTH_ERRORS[endpoint.auth]]) codes.add(code);
  }
  if (endpoint.body) for (const code of BODY_ERRORS) codes.add(code);
  if (endpoint.idempotent) for (const code of IDEMPOTENCY_ERRORS) codes.add(code);
  return [...codes];
}

/** Errors of uploads. */
export const UPLOAD_ERRORS = [
  'no_images',
  'too_many_files',
  'invalid_multipart',
  ...FILE_ERRORS,
  'request_too_large',
  'url_import_disabled',
  'url_import_failed',
  'session_full',
  'processing_timeout',
  'processing_failed',
  'overloaded',
  'storage_limit_reached',
] as const satisfies ErrorCode[];

/** Errors of exports and samples. */
export const EXPORT_ERRORS = [
  'session_not_found',
  'image_not_found',
  'session_mismatch',
  'duplicate_image',
  'upload_path_mismatch',
  'job_not_found',
  'storage_limit_reached',
  'token_used_up',
  'overloaded',
] as const satisfies ErrorCode[];

/** Errors of analyses. */
export const ANALYZE_ERRORS = [
  'token_used_up',
  'session_not_found',
  'image_not_found',
  'session_mismatch',
  'duplicate_image',
  'no_images',
  'job_not_found',
  'insufficient_credits',
  'daily_limit_reached',
  'overloaded',
] as const satisfies ErrorCode[];
