import type { Endpoint } from './endpoint.ts';
import type { ErrorCode } from './error-codes.ts';

/** Errors of every endpoint that uses the database and the files. */
const COMMON_ERRORS: ErrorCode[] = [
  'invalid_request',
  'internal_error',
  'shutting_down',
  'database_unavailable',
  'storage_unavailable',
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
  if (endpoint.bodyKind !== 'none') for (const code of BODY_ERRORS) codes.add(code);
  if (endpoint.idempotent) for (const code of IDEMPOTENCY_ERRORS) codes.add(code);
  return [...codes];
}
