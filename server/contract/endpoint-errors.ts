import type { ErrorCode } from './error-codes.ts';

/** Errors of uploads. */
export const UPLOAD_ERRORS = [
  'no_images',
  'too_many_files',
  'invalid_multipart',
  'file_too_large',
  'request_too_large',
  'unsupported_image',
  'invalid_image',
  'too_many_pixels',
  'too_many_frames',
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
