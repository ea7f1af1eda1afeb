/** Images in one sample request (specification, "Limits"). */
export const SAMPLE_IMAGE_LIMIT = 5;
/** Credits that a full export costs per image, whatever its variants (specification, "Limits"). */
export const EXPORT_CREDITS_PER_IMAGE = 1;
/** Credits that a new account receives (specification, "Limits"). */
export const SIGNUP_CREDITS = 25;
/** Longest `Idempotency-Key`, in characters. */
export const IDEMPOTENCY_KEY_LENGTH = 255;
/** Lifetime of an `Idempotency-Key`, in hours. */
export const IDEMPOTENCY_HOURS = 24;
/** Lifetime of a session token, in minutes. */
export const SESSION_TOKEN_MINUTES = 60;
/** Delay before a client reconnects a broken stream, in milliseconds (the SSE `retry` field). */
export const STREAM_RETRY_MS = 3000;
/** Suffix of a sample's namespace after the session id. Unambiguous, since ids contain no `-`. */
export const SAMPLE_SUFFIX = '-sample';
