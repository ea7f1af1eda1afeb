import { createHash } from 'node:crypto';
import { type Budget, type BudgetOptions, dropOldest, type Limit, type SharedCounters, type Taken } from './budget.ts';

/** Time for which a limit is remembered as used up that others may give back to, in milliseconds. */
const USED_UP_MS = 1000;
/** Attempts to take what other servers leave. */
const ATTEMPTS = 20;

/** This server's knowledge of a window that all servers share. */
interface Share {
  endsAt: number;
  /** Count with which the window begins; undefined until it is known. */
  initial?: number;
  /** Number taken of the window and not used. */
  held: number;
  /** Number that no server had taken when this one last asked. */
  left: number;
  /** Until then nothing can be taken. */
  usedUpUntil: number;
  /** Callers that wait for the database. */
  waiting: number;
  /** The request to the database that they wait for. */
  fetching?: Promise<void> | undefined;
}

interface State {
  shares: Map<string, Share>;
  counters: SharedCounters;
  options: BudgetOptions;
  now: () => Date;
}

/** A caller's part of one limit, and its window in the database. */
interface Part {
  id: string;
  isTaken: boolean;
  left: number;
  endsAt: number;
}

/**
 * Creates a budget that all servers of a database share. Keys, which may be addresses, are stored as hashes. Requests at the same
 * moment share one query, and a limit that is used up needs none. A block that a server does not use is lost with its window.
 */
export function createSharedBudget(
  options: BudgetOptions,
  { counters, now }: { counters: SharedCounters; now: () => Date },
): Budget {
  const state: State = { shares: new Map(), counters, options, now };
  return {
    take: (limits) => takeAll(state, limits),

    async forget(key) {
      const id = idOf(state, key);
      state.shares.delete(id);
      // A count that cannot be deleted ends with its window.
      await counters.forget(id).catch(() => {});
    },
  };
}

function idOf({ options: { name } }: State, key: string): string {
  return `${name}:${createHash('sha256').update(key).digest('hex')}`;
}

async function takeAll(state: State, limits: readonly Limit[]): Promise<Taken> {
  const at = state.now().getTime();
  const refusals = limits.flatMap(({ key }) => knownAsUsedUp(state, idOf(state, key), at) ?? []);
  if (refusals.length > 0) return refused(Math.max(...refusals) - at);
  const parts: Part[] = [];
  try {
    for (const limit of limits) {
      const part = await takeOne(state, limit);
      if (!part.isTaken) {
        await giveBack(state, parts);
        return refused(part.endsAt - at);
      }
      parts.push(part);
    }
  } catch (error) {
    await giveBack(state, parts);
    throw error;
  }
  return {
    isTaken: true,
    left: Math.min(...parts.map(({ left }) => left)),
    endsInMs: Math.max(...parts.map(({ endsAt }) => endsAt)) - at,
    giveBack: () => giveBack(state, parts.splice(0)),
  };
}

function refused(endsInMs: number): Taken {
  return { isTaken: false, left: 0, endsInMs, giveBack: async () => {} };
}

/** Returns the end of a window of which this server knows that it is used up. */
function knownAsUsedUp({ shares }: State, id: string, at: number): number | undefined {
  const share = shares.get(id);
  return share && share.held === 0 && share.usedUpUntil > at && share.endsAt > at ? share.endsAt : undefined;
}

/** Gives parts back to the windows of which they were taken. */
async function giveBack({ shares, counters }: State, parts: Part[]): Promise<void> {
  await Promise.all(
    parts.map(async ({ id, endsAt }) => {
      const share = shares.get(id);
      if (share) share.usedUpUntil = 0;
      // A count that cannot be reduced ends with its window.
      await counters.giveBack({ id, amount: 1, expiresAt: new Date(endsAt) }).catch(() => {});
    }),
  );
}

async function takeOne(state: State, limit: Limit): Promise<Part> {
  const id = idOf(state, limit.key);
  for (;;) {
    const at = state.now().getTime();
    const share = shareOf(state, id, at);
    const part = { id, endsAt: share.endsAt };
    if (share.held > 0) {
      share.held -= 1;
      return { ...part, isTaken: true, left: share.left + share.held };
    }
    if (share.usedUpUntil > at) return { ...part, isTaken: false, left: 0 };
    share.waiting += 1;
    try {
      share.fetching ??= fetchBlock(state, id, limit, share).finally(() => {
        share.fetching = undefined;
      });
      await share.fetching;
    } finally {
      share.waiting -= 1;
    }
  }
}

/** Returns what this server knows of the present window, or a share of which nothing is known yet. */
function shareOf({ shares }: State, id: string, at: number): Share {
  const known = shares.get(id);
  if (known && (known.endsAt > at || known.fetching)) return known;
  shares.delete(id);
  dropOldest(shares);
  const fresh: Share = { endsAt: 0, held: 0, left: 0, usedUpUntil: 0, waiting: 0 };
  shares.set(id, fresh);
  return fresh;
}

/** Takes a block for all callers that wait, or what other servers have left of it. */
async function fetchBlock(state: State, id: string, { key, limit, windowMs }: Limit, share: Share): Promise<void> {
  const { counters, options, now } = state;
  share.initial ??= (await options.initial?.(key)) ?? 0;
  const { initial } = share;
  let amount = Math.max(1, share.waiting, options.block?.(limit) ?? 1);
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const at = now();
    const until = new Date(at.getTime() + windowMs);
    const counted = await counters.take({ id, amount, limit, now: at, until, initial });
    const endsAt = counted.expiresAt.getTime();
    // Another window has begun: what is held of the one before is lost.
    if (share.endsAt !== endsAt) share.held = 0;
    share.endsAt = endsAt;
    share.left = Math.max(0, limit - counted.n);
    if (counted.isTaken) {
      share.held += amount;
      return;
    }
    if (share.left === 0) {
      share.usedUpUntil = options.isFinal ? endsAt : Math.min(endsAt, at.getTime() + USED_UP_MS);
      return;
    }
    amount = Math.min(amount, share.left);
  }
  throw new Error(`the counter ${id} changes faster than it can be taken from`);
}
