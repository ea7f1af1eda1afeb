import { AppError } from '../errors.ts';

/** Most requests of one key that may be open at once. */
export interface OpenLimit {
  key: string;
  most: number;
  /** Name of the open requests in the message to the caller, e.g. `uploads of one account`. */
  what: string;
}

/** Requests that are open on this server. */
export interface OpenRequests {
  /**
   * Counts a request until the returned function is called, once, towards all limits or none.
   * @throws AppError rate_limited if one of them is reached
   */
  enter(limits: readonly OpenLimit[]): () => void;
}

const RETRY_AFTER_SECONDS = 5;

/** Limits the requests of an account that are open at once, so that they do not take the room of others. */
export function createOpenRequests(): OpenRequests {
  const open = new Map<string, number>();
  return {
    enter(limits) {
      for (const { key, most, what } of limits) if ((open.get(key) ?? 0) >= most) throw tooMany(most, what);
      for (const { key } of limits) open.set(key, (open.get(key) ?? 0) + 1);
      return () => {
        for (const { key } of limits) {
          const left = (open.get(key) ?? 0) - 1;
          if (left > 0) open.set(key, left);
          else open.delete(key);
        }
      };
    },
  };
}

function tooMany(limit: number, what: string): AppError {
  return new AppError('rate_limited', `At most ${limit} ${what} may be open at once`, {
    details: { limit },
    headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) },
  });
}
