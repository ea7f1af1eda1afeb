/** Error response of the service, or a response that cannot come from the service. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /**
   * Code of the service's error catalogue or of a CMS's proxy; `bad_response` for anything but the service's JSON, such as
   * a proxy's HTML page.
   */
  readonly code: string;
  /** HTTP status; 200 if the error was the last event of a stream. */
  readonly status: number;
  /** Request id, for support. */
  readonly requestId: string | undefined;
  /** Other fields of the response, such as `balance`, `required` and `shortfall` of a 402, or `errors` by field of a 400. */
  readonly details: Record<string, unknown>;
  /** True if the same request may succeed later. */
  readonly retryable: boolean;
  /** Requested wait before the next try, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, status: number, body: Record<string, unknown> = {}, headers?: Headers) {
    super(message);
    const { code, error: _error, requestId, ...details } = body;
    this.code = typeof code === 'string' ? code : 'bad_response';
    this.status = status;
    this.requestId = typeof requestId === 'string' ? requestId : (headers?.get('X-Request-Id') ?? undefined);
    this.details = details;
    this.retryable = [408, 429, 500, 502, 503, 504].includes(status) || this.code === 'idempotency_in_progress';
    const after = headers?.get('Retry-After');
    const ms = after ? Number(after) * 1000 || Date.parse(after) - Date.now() : 0;
    this.retryAfterMs = ms > 0 ? ms : undefined;
  }
}

/** Reason a response is missing or incomplete. */
export type ConnectionErrorCode = 'network' | 'timeout' | 'stream_interrupted' | 'aborted' | 'file_changed';

/** The response is missing or incomplete. `cause` is the platform's error. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  /**
   * `network`: no connection; `timeout`: silence for too long; `stream_interrupted`: incomplete response; `aborted`: by
   * the caller's signal; `file_changed`: a file of the upload was changed or removed after it was chosen.
   */
  readonly code: ConnectionErrorCode;
  /** False for `aborted` and `file_changed`. */
  readonly retryable: boolean;

  constructor(code: ConnectionErrorCode, cause?: unknown) {
    const reason = reasonOf(cause);
    super(MESSAGES[code] + (reason && `: ${reason}`), { cause });
    this.code = code;
    this.retryable = code !== 'aborted' && code !== 'file_changed';
  }
}

const MESSAGES: Record<ConnectionErrorCode, string> = {
  network: 'The service cannot be reached',
  timeout: 'The service does not respond',
  stream_interrupted: 'The response was interrupted',
  aborted: 'The request was aborted',
  file_changed: 'A file was changed or removed',
};

/** Returns the innermost reason: `fetch failed` hides that of the network. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  return reasonOf(error.cause) || error.message || (error as { code?: string }).code || '';
}
