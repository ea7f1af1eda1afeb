/** An answer of the service that is an error, or an answer that cannot have come from the service. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /**
   * A code of the service's error catalogue; one of a CMS's own proxy; `bad_response` for anything that is not the
   * service's JSON, such as a proxy's HTML page.
   */
  readonly code: string;
  /** HTTP status; 200 when the error came as the last event of a stream. */
  readonly status: number;
  /** Quote it when you ask for help. */
  readonly requestId: string | undefined;
  /** What else the answer says, e.g. `balance`, `required` and `shortfall` of a 402, or `errors` by field of a 400. */
  readonly details: Record<string, unknown>;
  /** True when the same request may succeed later. */
  readonly retryable: boolean;
  /** What the service asks to wait, in milliseconds. */
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

/** Why there is no whole answer. */
export type ConnectionErrorCode = 'network' | 'timeout' | 'stream_interrupted' | 'aborted';

/** There is no answer, or not the whole of it. `cause` is what the platform said. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  /**
   * `network`: no connection; `timeout`: silence for too long; `stream_interrupted`: the answer broke off; `aborted`: by
   * the caller's own signal.
   */
  readonly code: ConnectionErrorCode;
  /** True for everything that the caller did not want. */
  readonly retryable: boolean;

  constructor(code: ConnectionErrorCode, cause?: unknown) {
    const reason = cause instanceof Error && cause.message ? `: ${cause.message}` : '';
    super(`${MESSAGES[code]}${reason}`, { cause });
    this.code = code;
    this.retryable = code !== 'aborted';
  }
}

const MESSAGES: Record<ConnectionErrorCode, string> = {
  network: 'The service cannot be reached',
  timeout: 'The service does not answer',
  stream_interrupted: 'The answer broke off',
  aborted: 'The request was aborted',
};
