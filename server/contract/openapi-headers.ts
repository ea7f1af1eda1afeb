import type { Json } from './openapi-schemas.ts';

const text = (description: string, required = true): Json => ({ description, required, schema: { type: 'string' } });

/** Headers of answers, by the names of their components. Each is sent with every answer that names it, unless it is not `required`. */
export const HEADERS: Record<string, Json> = {
  'X-Request-Id': text('Id of the request in the log.'),
  'X-Job-Id': text('Id of the job.'),
  'WWW-Authenticate': text('Scheme of the service: `ApiKey`, in the header `X-API-Key`.'),
  'Retry-After': { description: 'Seconds after which to try again.', required: true, schema: { type: 'integer' } },
  RetryAfterIfLater: {
    description: 'Seconds after which to try again, where that helps.',
    schema: { type: 'integer' },
  },
  Location: text('Path of what was created.'),
  LocationOfFile: text('Signed address of the file in the store. Follow it without the API key.'),
  ETag: text('Version of the bytes, for `If-None-Match`, `If-Match` and `If-Range`.'),
  ETagOfFile: text('Version of the bytes; with the file, not with an address.', false),
  NameOfFile: text('Name of the file (RFC 6266); with the file, not with an address.', false),
  'Content-Disposition': text('Name of the file (RFC 6266).'),
  'Content-Range': text('Returned bytes and size of the file.'),
  RateLimit: text('Requests that are left; only on plans with a rate limit.', false),
  'RateLimit-Policy': text('Limit and window; only on plans with a rate limit.', false),
};

/** Components that are sent under another name than their own. */
const SENT_AS: Record<string, string> = {
  RetryAfterIfLater: 'Retry-After',
  LocationOfFile: 'Location',
  ETagOfFile: 'ETag',
  NameOfFile: 'Content-Disposition',
};

/** Returns the headers of an answer, by the names of their components. */
export function referToHeaders(names: readonly string[]): Json {
  return Object.fromEntries(names.map((name) => [SENT_AS[name] ?? name, { $ref: `#/components/headers/${name}` }]));
}
