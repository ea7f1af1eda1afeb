/** Kinds of failed connections. */
export type NetworkKind = 'refused' | 'unknown_host' | 'silent' | 'tls' | 'closed' | 'other';

/** A failed connection, without any text of the other side. */
export interface NetworkFailure {
  kind: NetworkKind;
  /** What came, with the code of the system where there is one. */
  found: string;
}

const MOST_CAUSES = 5;
const WORDS: Record<NetworkKind, string> = {
  refused: 'nothing listens there',
  unknown_host: 'the name of the host is unknown',
  silent: 'no answer in time',
  tls: 'the certificate or the encryption is refused',
  closed: 'the connection was closed',
  other: 'it failed',
};

/** Returns the code of the first cause that has one, e.g. `ECONNREFUSED`; empty without one. */
export function systemCodeOf(error: unknown): string {
  let at = error;
  for (let depth = 0; depth < MOST_CAUSES && at instanceof Error; depth += 1) {
    const { code } = at as Error & { code?: unknown };
    if (typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,50}$/.test(code)) return code;
    at = at instanceof AggregateError ? (at.errors[0] ?? at.cause) : at.cause;
  }
  return '';
}

/** Describes why a connection failed. */
export function describeNetworkFailure(error: unknown): NetworkFailure {
  const code = systemCodeOf(error);
  const kind = kindOf(code, error);
  return { kind, found: code ? `${WORDS[kind]} (${code})` : WORDS[kind] };
}

function kindOf(code: string, error: unknown): NetworkKind {
  if (code === 'ECONNREFUSED') return 'refused';
  if (/^(ENOTFOUND|EAI_\w+|ENODATA)$/.test(code)) return 'unknown_host';
  if (/TIMEOUT|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH/.test(code) || isTimeout(error)) return 'silent';
  if (
    /^(ERR_TLS|ERR_SSL|EPROTO|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|HOSTNAME_MISMATCH|INVALID_(CA|PURPOSE))/.test(code)
  )
    return 'tls';
  if (/^(ECONNRESET|EPIPE|UND_ERR_SOCKET|HPE_)/.test(code)) return 'closed';
  return 'other';
}

const isTimeout = (error: unknown) => error instanceof Error && /^(TimeoutError|AbortError)$/.test(error.name);
