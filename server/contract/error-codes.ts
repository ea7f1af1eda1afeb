import { z } from 'zod';

/**
 * The error catalogue: every `code` of the service with its HTTP status and meaning.
 * Codes are part of the contract; `docs/errors.md` is generated from this table.
 */
export const ERROR_CATALOGUE = {
  invalid_request: { status: 400, meaning: 'The shape of the request is wrong; `errors` names each field.' },
  invalid_json: { status: 400, meaning: 'The body is not valid JSON.' },
  invalid_multipart: { status: 400, meaning: 'The multipart body is malformed or was cut off.' },
  no_images: { status: 400, meaning: 'The request holds no image.' },
  too_many_files: { status: 400, meaning: 'More files in one request than `limit`.' },
  duplicate_image: { status: 400, meaning: 'The same image id occurs twice in `images`.' },
  sample_limit_exceeded: { status: 400, meaning: 'A sample request has more than `limit` images.' },
  session_mismatch: { status: 400, meaning: 'The `sessionId` in the body is not the one in the path.' },
  upload_path_mismatch: {
    status: 400,
    meaning: "An image's `uploadPath` differs from the one in the upload response.",
  },
  url_import_disabled: { status: 400, meaning: 'Import by URL is off (`URL_IMPORT=on` switches it on).' },
  url_import_failed: {
    status: 400,
    meaning: 'A URL could not be fetched, or points to an address that is not allowed.',
  },
  invalid_idempotency_key: { status: 400, meaning: '`Idempotency-Key` is empty or longer than 255 characters.' },
  invalid_link: { status: 400, meaning: 'The one-time link is unknown, was used, or has expired.' },
  weak_password: { status: 400, meaning: 'The new password breaks a rule; the message says which.' },
  invalid_api_key: {
    status: 401,
    meaning: 'The `X-API-Key` header is missing, malformed or unknown, or its session token has expired.',
  },
  not_logged_in: { status: 401, meaning: 'There is no log-in cookie, or its log-in has ended.' },
  wrong_credentials: { status: 401, meaning: 'The email address or the password is wrong.' },
  insufficient_credits: {
    status: 402,
    meaning: 'The balance is lower than the cost; both numbers are in the response.',
  },
  inactive_api_key: { status: 403, meaning: 'The API key is deactivated, or the one that made the session token.' },
  token_not_allowed: {
    status: 403,
    meaning: 'The session token does not allow this endpoint, a second session, or requests of this `Origin`.',
  },
  account_suspended: { status: 403, meaning: 'The account is suspended.' },
  wrong_password: { status: 403, meaning: 'The password that confirms the request is wrong.' },
  password_required: {
    status: 403,
    meaning:
      'Operators confirm this with their password first (`POST /account/confirm-password`); it is valid for 10 minutes.',
  },
  cross_site_request: {
    status: 403,
    meaning: 'A request with a log-in cookie did not come from a page of this service.',
  },
  operator_required: { status: 403, meaning: 'Only an operator may do this.' },
  sign_up_closed: { status: 403, meaning: 'Sign-up is closed (`SIGN_UP`); the operator creates accounts.' },
  tls_required: {
    status: 403,
    meaning:
      'The browser would reject the log-in cookie, since the page was loaded over plain HTTP; see `LOGIN_COOKIE`.',
  },
  cookie_refused: {
    status: 403,
    meaning:
      'The browser did not send back a cookie, so it would lose the log-in; the link was not used up. Only for requests with an `Origin`.',
  },
  not_found: { status: 404, meaning: 'No such path or resource.' },
  token_used_up: {
    status: 403,
    meaning:
      'The session token allows no more samples or analyses; `limitName`, `limit` and `used` count images. Create another token.',
  },
  session_not_found: { status: 404, meaning: 'No such session, or it has expired.' },
  image_not_found: { status: 404, meaning: 'No such image in this session.' },
  file_not_found: { status: 404, meaning: 'No exported file of that name in this session.' },
  job_not_found: { status: 404, meaning: 'No such job.' },
  share_not_found: { status: 404, meaning: 'No such link to a session: it is unknown, was revoked or has expired.' },
  method_not_allowed: { status: 405, meaning: 'The path exists, but not with this method; see `Allow`.' },
  request_timeout: { status: 408, meaning: 'The request was silent for too long, too slow or not complete in time.' },
  idempotency_in_progress: { status: 409, meaning: 'A request with this `Idempotency-Key` is still running.' },
  key_limit_reached: { status: 409, meaning: 'The plan allows no more active API keys than `limit`.' },
  share_limit_reached: { status: 409, meaning: 'The session has `limit` links already.' },
  job_finished: { status: 409, meaning: 'The job has already ended.' },
  email_taken: { status: 409, meaning: 'Another account has this email address.' },
  own_account: {
    status: 409,
    meaning: 'Operators cannot suspend, demote or delete themselves, nor make a link for themselves.',
  },
  session_full: { status: 409, meaning: 'The session already holds `limit` images.' },
  precondition_failed: { status: 412, meaning: 'The file does not match `If-Match`; see `ETag`.' },
  file_too_large: { status: 413, meaning: 'A file is larger than `limit` bytes.' },
  request_too_large: { status: 413, meaning: 'The whole request is larger than `limit` bytes.' },
  unsupported_media_type: { status: 415, meaning: 'The `Content-Type` of the request is not accepted here.' },
  unsupported_image: { status: 415, meaning: 'The file is not an image of a supported format.' },
  range_not_satisfiable: { status: 416, meaning: 'The requested byte range lies outside the file.' },
  invalid_image: { status: 422, meaning: 'The file has a supported format but cannot be decoded.' },
  too_many_pixels: { status: 422, meaning: 'The image has more pixels (over all frames) than `limit`.' },
  too_many_frames: { status: 422, meaning: 'The animation has more frames than `limit`.' },
  output_too_large: { status: 422, meaning: 'The output format cannot hold an image of this size.' },
  misdirected_request: { status: 421, meaning: 'The service has another name; see `ALLOWED_HOSTS`.' },
  idempotency_mismatch: { status: 422, meaning: 'The `Idempotency-Key` was used before with another request.' },
  rate_limited: { status: 429, meaning: 'Too many requests; try again after `Retry-After` seconds.' },
  too_many_attempts: { status: 429, meaning: 'Too many attempts; try again after `Retry-After` seconds.' },
  daily_limit_reached: {
    status: 429,
    meaning:
      'The plan allows no more samples, analyses or exports with `onlySmaller` today (UTC); `limit` and `used` count images.',
  },
  session_limit_reached: {
    status: 429,
    meaning:
      'The plan allows no more than `limit` sessions at a time; delete one with `DELETE /v1/sessions/:sessionId`.',
  },
  token_limit_reached: {
    status: 429,
    meaning: 'The account has `limit` session tokens that have not expired; try again after `Retry-After` seconds.',
  },
  headers_too_large: { status: 431, meaning: 'The request headers are larger than the server accepts.' },
  processing_timeout: { status: 422, meaning: 'The image took longer than the time limit.' },
  processing_failed: { status: 422, meaning: 'The image could not be processed.' },
  signing_failed: {
    status: 500,
    meaning: 'The content credentials of a file could not be signed; the message says why. The credit is given back.',
  },
  job_cancelled: { status: 500, meaning: 'The job was cancelled before this was done.' },
  client_left: { status: 500, meaning: 'The job stopped because its client disconnected.' },
  session_deleted: { status: 500, meaning: 'The session was deleted while the job ran.' },
  job_abandoned: { status: 500, meaning: 'The job could not be resumed after an interruption.' },
  internal_error: {
    status: 500,
    meaning:
      'Internal error of the service, never a fault of the file; its log has the cause. Quote `requestId`, or the ids of job and image.',
  },
  overloaded: { status: 503, meaning: 'The service has no room for more work; try again after `Retry-After` seconds.' },
  shutting_down: { status: 503, meaning: 'The service is stopping; try again after `Retry-After` seconds.' },
  database_unavailable: {
    status: 503,
    meaning: 'The database does not respond; try again after `Retry-After` seconds.',
  },
  file_damaged: {
    status: 500,
    meaning:
      'The stored bytes are not those that were told, so they are not sent. An export or a sample of the image with the same settings repairs the file; a damaged upload has to be uploaded again.',
  },
  record_damaged: {
    status: 500,
    meaning:
      'A stored record is damaged and cannot be read. The operator restores a backup, or the session is deleted.',
  },
  storage_unavailable: {
    status: 503,
    meaning:
      'Files cannot be stored or read: their store does not respond or is read-only; try again after `Retry-After` seconds.',
  },
  storage_limit_reached: {
    status: 507,
    meaning: 'The files of the account would exceed the `limit` of the plan; `limit` and `used` are in megabytes.',
  },
  insufficient_storage: { status: 507, meaning: 'The disk is full.' },
} as const satisfies Record<string, { status: number; meaning: string }>;

/** A machine-readable error code of the catalogue. */
export type ErrorCode = keyof typeof ERROR_CATALOGUE;

/** Warning codes of images and results. Clients ignore unknown ones. */
export const WARNING_CODES = {
  animation_dropped: 'The output format cannot hold the animation; the first frame was kept.',
  pages_dropped: 'The file has several pages; the first one was kept.',
  cmyk_converted: 'CMYK colours were converted to sRGB.',
  colour_converted: 'Colours were converted from their profile to sRGB.',
  hdr_dropped: 'High dynamic range was reduced to the standard range.',
  depth_reduced: 'More than 8 bits per channel were reduced to 8.',
  content_credentials_dropped:
    'The content credentials (C2PA) are valid for the unchanged file alone and were dropped.',
  content_credentials_invalid: 'The content credentials (C2PA) of the upload are damaged or do not match the file.',
  alpha_flattened: 'Transparency was flattened on white.',
  metadata_not_written: 'Texts, rights or other metadata could not be written into the file.',
  metadata_unreadable: 'The XMP of the file is too large or damaged, so nothing of it was kept.',
  other_language: 'There are no texts in the language of the settings; the file has those of `metadata`.',
  unknown_field: 'Fields of the metadata are unknown or not as expected, and were ignored.',
  sizes_ignored: '`responsiveSizes` has no effect without `responsive: true`.',
  format_skipped: 'The image is too large for one of the formats, which was left out.',
  no_gain: 'No file would get smaller, so nothing was charged.',
  format_mismatch: "The file's extension or type does not match its bytes.",
} as const;

/** A warning code. */
export type WarningCode = keyof typeof WARNING_CODES;

/** A problem that did not stop the processing. */
export const warningSchema = z
  .object({ code: z.string().describe('Machine-readable; more may be added.'), message: z.string() })
  .meta({ id: 'Warning' });

/** A warning on an image or a result. */
export type Warning = z.output<typeof warningSchema>;

/** Creates a warning with the catalogue's text, and what it is about in this case. */
export function warning(code: WarningCode, about?: string): Warning {
  const message = WARNING_CODES[code];
  return { code, message: about ? `${message.replace(/\.$/, '')}: ${about}.` : message };
}
