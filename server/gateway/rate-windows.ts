import type { CounterRepository } from '../accounts/index.ts';

/** A request in the window of an account. */
export interface Counted {
  allowed: boolean;
  /** Requests left in the window. */
  left: number;
  /** Time until the window ends, in milliseconds. */
  endsInMs: number;
}

/** Counts requests of accounts. */
export type CountRequest = (accountId: string, limit: { requests: number; windowSeconds: number }) => Promise<Counted>;

/** Windows above which those that are over are dropped. */
const CLEAN_UP_ABOVE = 10_000;
/** Part of a limit that a server takes at once. */
const BLOCK = 1 / 20;

interface Window {
  startedAt: number;
  lengthMs: number;
  requests: number;
}

/** Counts the requests that this process gets, in windows that begin with a request, by a monotonic clock. */
export function countInProcess(monotonicNow: () => number): CountRequest {
  const windows = new Map<string, Window>();
  return async (accountId, { requests, windowSeconds }) => {
    const at = monotonicNow();
    const window = windowOf(windows, accountId, windowSeconds * 1000, at);
    const allowed = window.requests < requests;
    if (allowed) window.requests += 1;
    return { allowed, left: requests - window.requests, endsInMs: window.startedAt + window.lengthMs - at };
  };
}

/** Returns the account's current window, or a new one. */
function windowOf(windows: Map<string, Window>, accountId: string, lengthMs: number, at: number): Window {
  const running = windows.get(accountId);
  if (running && !isOver(running, at) && running.lengthMs === lengthMs) return running;
  if (windows.size > CLEAN_UP_ABOVE) {
    for (const [id, window] of windows) if (isOver(window, at)) windows.delete(id);
  }
  const fresh = { startedAt: at, lengthMs, requests: 0 };
  windows.set(accountId, fresh);
  return fresh;
}

function isOver({ startedAt, lengthMs }: Window, at: number): boolean {
  return at >= startedAt + lengthMs;
}

/** What this server has taken of a window that all servers share. */
interface Share {
  endsAt: number;
  /** Requests that were taken and not used. */
  held: number;
  /** Requests that nobody has taken. */
  left: number;
}

/**
 * Counts the requests that all servers of a database get. A server takes a twentieth of the limit at once, so that few
 * requests need the database; what it has not used at the end of the window is lost.
 */
export function countInCluster(counters: Pick<CounterRepository, 'take'>, now: () => Date): CountRequest {
  const shares = new Map<string, Share>();
  return async (accountId, { requests, windowSeconds }) => {
    const at = now();
    const share = shares.get(accountId);
    const valid = share && share.endsAt > at.getTime() ? share : undefined;
    const current = valid && valid.held > 0 ? valid : await takeShare(valid);
    const allowed = current.held > 0;
    if (allowed) current.held -= 1;
    return { allowed, left: current.left + current.held, endsInMs: current.endsAt - at.getTime() };

    async function takeShare(running: Share | undefined): Promise<Share> {
      // Full: nobody can take anything before the window ends.
      if (running && running.left === 0) return running;
      const until = new Date(at.getTime() + windowSeconds * 1000);
      const wanted = { id: `rate:${accountId}`, limit: requests, now: at, until };
      let amount = Math.max(1, Math.floor(requests * BLOCK));
      let counted = await counters.take({ ...wanted, amount });
      if (!counted.isTaken && amount > 1 && counted.n < requests) {
        amount = requests - counted.n;
        counted = await counters.take({ ...wanted, amount });
      }
      if (shares.size > CLEAN_UP_ABOVE)
        for (const [id, { endsAt }] of shares) if (endsAt <= at.getTime()) shares.delete(id);
      const held = counted.isTaken ? amount : 0;
      const fresh = { endsAt: counted.expiresAt.getTime(), held, left: counted.isTaken ? requests - counted.n : 0 };
      // Another request of this process may have taken a share meanwhile.
      const meanwhile = shares.get(accountId);
      if (meanwhile && meanwhile.endsAt === fresh.endsAt) fresh.held += meanwhile.held;
      shares.set(accountId, fresh);
      return fresh;
    }
  };
}
