/** Codes of connections that a restarted service answers again. */
const CONNECTION = /^(?:ECONN|EPIPE|EHOST|ENET|ENOTFOUND|EAI_|ETIMEDOUT|UND_ERR_(?:SOCKET|CONNECT|CLOSED))/;
const MAX_CAUSES = 5;

/** Returns the code of the first cause that has one, e.g. `ECONNREFUSED`. */
export function codeOf(error: unknown): string | null {
  let cause = error;
  for (let depth = 0; depth < MAX_CAUSES && cause instanceof Error; depth += 1) {
    const { code } = cause as Error & { code?: unknown };
    if (typeof code === 'string' && /^[A-Z_]{3,40}$/.test(code)) return code;
    cause = cause instanceof AggregateError ? (cause.errors[0] ?? cause.cause) : cause.cause;
  }
  return null;
}

/** Returns true for the code of a connection that was not made, or was lost. */
export const isAway = (code: string | null): boolean => code !== null && CONNECTION.test(code);
