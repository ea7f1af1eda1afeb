import type { LimitFunction } from 'p-limit';
import type { DailyCounter, DailyLimitName, PlanLimitName, PlanUse } from '#contract';
import { PLAN_LIMIT_NAMES, PLAN_LIMITS } from '#contract';
import { inTurn } from '../concurrency.ts';
import type { DailyCount } from '../db/index.ts';
import { AppError } from '../errors.ts';
import type { Plan } from './config.ts';
import {
  count,
  countOne,
  dayOf,
  type LimitsDeps,
  limitsOf,
  nextDay,
  requireFewOverruns,
  requireLeft,
  usedToday,
} from './daily-limits.ts';

/** Bytes that a request adds, and whether it adds a session. */
interface Addition {
  bytes: number;
  isNewSession?: boolean;
}

/** Creates the limits of accounts by plan. Operators and the first account have none. */
export function createLimits(deps: LimitsDeps) {
  const queues = new Map<string, LimitFunction>();
  /** Last failure of the database. */
  let outage: { at: number; error: unknown } = { at: Number.NEGATIVE_INFINITY, error: undefined };
  return {
    /**
     * Counts images towards a limit of the day (UTC). Returns null if the account has no such limit.
     * @throws AppError daily_limit_reached
     */
    count: (accountId: string, counter: DailyCounter, images: number): Promise<DailyCount | null> =>
      count(deps, accountId, counter, images),

    /** Checks that the day's images of a limit are not used up. @throws AppError daily_limit_reached */
    requireLeft: (accountId: string, counter: DailyCounter): Promise<void> => requireLeft(deps, accountId, counter),

    /** Counts an image after its work, also above the limit. */
    countOne: (accountId: string, counter: DailyCounter): Promise<void> => countOne(deps, accountId, counter),

    /** Counts an image that ended by a limit of time or memory, also above the limit: it cost work and is refunded. */
    async countOverrun(accountId: string): Promise<void> {
      await countOne(deps, accountId, 'samples');
      await countOne(deps, accountId, 'overruns');
    },

    /** Checks that the day's images that ended by a limit have not used it up by themselves, unless all is made. @throws AppError daily_limit_reached */
    requireFewOverruns: (accountId: string, isMade: () => Promise<boolean>): Promise<void> =>
      requireFewOverruns(deps, accountId, isMade),

    /** Takes back what {@link count} has counted. */
    async giveBack(accountId: string, counted: DailyCount | null): Promise<void> {
      if (counted && counted.images > 0) await deps.accounts.uncountToday(accountId, counted);
    },

    /** Takes back one image that came to nothing, unless the day on which it was counted is over. */
    async giveBackOne(accountId: string, counter: DailyCounter, countedAt: Date): Promise<void> {
      await deps.accounts.uncountToday(accountId, { day: dayOf(countedAt), counter, images: 1 });
    },

    /**
     * Calls `add`, which stores what is added, if the plan has room for it, and returns its outcome; null: it has added
     * nothing. Additions of one account wait for each other. A server that has added a session at the same moment as
     * another one calls `undo` if both together exceed the limit.
     * @throws AppError storage_limit_reached, session_limit_reached
     */
    async within<T>(
      accountId: string,
      addition: Addition,
      add: () => Promise<T>,
      undo: () => Promise<void> = async () => {},
    ): Promise<T> {
      const limits = limitsOf(deps, await deps.accounts.find(accountId));
      if (limits.storageMb === undefined && limits.sessions === undefined)
        return addFreely(deps, accountId, addition.bytes, add);
      const requestedAt = performance.now();
      return inTurn(queues, accountId, async () => {
        // During an outage of the database, requests that wait for each other must not add up their waits.
        if (outage.at >= requestedAt) throw outage.error;
        try {
          return await addWithin(deps, { accountId, limits, addition, add, undo });
        } catch (error) {
          if (!(error instanceof AppError)) outage = { at: performance.now(), error };
          throw error;
        }
      });
    },

    /** Returns the bytes that the plan of an account may store; null: no limit. */
    async storageOf(accountId: string): Promise<number | null> {
      const { storageMb } = limitsOf(deps, await deps.accounts.find(accountId));
      return storageMb === undefined ? null : storageMb * MEGABYTE;
    },

    /** Checks that the storage of the plan is not full. @throws AppError storage_limit_reached */
    requireRoom: (accountId: string): Promise<void> => requireRoom(deps, accountId),

    /** Returns the limits of an account with their use; null for what has no limit. */
    show: (accountId: string): Promise<PlanUse> => show(deps, accountId),
  };
}

/** Limits of accounts. */
export type AccountLimits = ReturnType<typeof createLimits>;

/** An addition without limits; it counts for the time when the account gets some. */
async function addFreely<T>({ storedBytes }: LimitsDeps, accountId: string, bytes: number, add: () => Promise<T>) {
  const added = await add();
  if (added !== null) await storedBytes.add(accountId, bytes);
  return added;
}

interface LimitedAddition<T> {
  accountId: string;
  limits: Pick<Plan, PlanLimitName>;
  addition: Addition;
  add: () => Promise<T>;
  undo: () => Promise<void>;
}

async function addWithin<T>(deps: LimitsDeps, input: LimitedAddition<T>): Promise<T> {
  const { accountId, limits, addition, add } = input;
  const mostSessions = addition.isNewSession ? limits.sessions : undefined;
  if (mostSessions !== undefined) await requireFreeSession(deps, accountId, mostSessions);
  const { bytes } = addition;
  if (limits.storageMb === undefined) {
    const added = await addFreely(deps, accountId, bytes, add);
    await recheckFreeSession(deps, input, mostSessions);
    return added;
  }
  await takeRoom(deps, accountId, bytes, limits.storageMb);
  // If it fails, its outcome is unknown: the bytes count until the count is computed again.
  const added = await add();
  await (added === null ? deps.storedBytes.giveBack(accountId, bytes) : deps.storedBytes.settle(accountId, bytes));
  await recheckFreeSession(deps, input, mostSessions);
  return added;
}

/** Checks that no other server has added a session at the same moment; otherwise removes the own one. */
async function recheckFreeSession<T>(deps: LimitsDeps, { accountId, undo }: LimitedAddition<T>, mostSessions?: number) {
  if (mostSessions !== undefined && (await deps.sessions.countLive(accountId, deps.now())) > mostSessions) {
    await undo();
    await requireFreeSession(deps, accountId, mostSessions);
    throw sessionLimitReached(mostSessions, mostSessions, 1);
  }
}

async function requireFreeSession({ sessions, now }: LimitsDeps, accountId: string, limit: number): Promise<void> {
  const at = now();
  const used = await sessions.countLive(accountId, at);
  if (used < limit) return;
  const expiry = await sessions.nextExpiry(accountId, at);
  throw sessionLimitReached(used, limit, Math.ceil(((expiry ?? at).getTime() - at.getTime()) / 1000));
}

function sessionLimitReached(used: number, limit: number, seconds: number): AppError {
  return new AppError('session_limit_reached', `The account holds ${used} of ${limit} sessions; ${HELP}`, {
    details: { limitName: 'sessions', limit, used },
    headers: { 'Retry-After': String(Math.max(1, seconds)) },
  });
}

type HeldLimitName = Exclude<PlanLimitName, DailyLimitName>;

/** Functions that return the use of each limit that is not one of a day. */
const HELD: { readonly [Name in HeldLimitName]: (deps: LimitsDeps, accountId: string) => Promise<number> } = {
  storageMb: async (deps, accountId) => inMegabytes(await storedBy(deps, accountId)),
  sessions: ({ sessions, now }, accountId) => sessions.countLive(accountId, now()),
};

async function show(deps: LimitsDeps, accountId: string): Promise<PlanUse> {
  const account = await deps.accounts.find(accountId);
  const limits = limitsOf(deps, account);
  const at = deps.now();
  const useOf = async (name: PlanLimitName) => {
    const limit = limits[name];
    if (limit === undefined) return null;
    const { counter } = PLAN_LIMITS[name];
    if (counter) return { limit, used: usedToday(account, counter, at), resetsAt: nextDay(at).toISOString() };
    return { limit, used: await HELD[name as HeldLimitName](deps, accountId) };
  };
  const uses = await Promise.all(PLAN_LIMIT_NAMES.map(async (name) => [name, await useOf(name)]));
  return Object.fromEntries(uses) as PlanUse;
}

const MEGABYTE = 1_000_000;
const ATTEMPTS = 5;
/** Age after which pending bytes of an upload count as lost, because its server has died; in milliseconds. */
const PENDING_MS = 600_000;

/** Advice for an account at a limit of storage or sessions. */
const HELP = 'delete a session with DELETE /v1/sessions/:sessionId, or wait until one expires';

/** Takes room for bytes, on all servers together. @throws AppError storage_limit_reached */
async function takeRoom(deps: LimitsDeps, accountId: string, bytes: number, storageMb: number): Promise<void> {
  const limit = { most: storageMb * MEGABYTE, now: deps.now() };
  if (await deps.storedBytes.take(accountId, bytes, limit)) return;
  // After a crash the count may be too high; at the limit it is computed again.
  const stored = await recount(deps, accountId);
  if (await deps.storedBytes.take(accountId, bytes, limit)) return;
  throw full(stored, bytes, storageMb);
}

async function requireRoom(deps: LimitsDeps, accountId: string): Promise<void> {
  const { storageMb } = limitsOf(deps, await deps.accounts.find(accountId));
  if (storageMb === undefined || (await storedBy(deps, accountId)) < storageMb * MEGABYTE) return;
  const stored = await recount(deps, accountId);
  if (stored >= storageMb * MEGABYTE) throw full(stored, 1, storageMb);
}

/** Returns the bytes that an account stores. */
async function storedBy(deps: LimitsDeps, accountId: string): Promise<number> {
  return (await deps.storedBytes.find(accountId))?.bytes ?? (await recount(deps, accountId));
}

/** Rounds bytes up to tenths of a megabyte. */
function inMegabytes(bytes: number): number {
  return Math.ceil(bytes / (MEGABYTE / 10)) / 10;
}

/** Computes an account's count again from its sessions, and from what other servers are about to record. */
async function recount({ sessions, storedBytes, now }: LimitsDeps, accountId: string): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const seen = await storedBytes.find(accountId);
    const takenAt = seen?.takenAt ?? now();
    const pending = now().getTime() - takenAt.getTime() > PENDING_MS ? 0 : (seen?.pending ?? 0);
    const bytes = (await sessions.bytesOfAccount(accountId)) + pending;
    if (await storedBytes.replace(seen, { _id: accountId, bytes, pending, takenAt })) return bytes;
  }
  // Other requests change it all the time, so it is used as it is.
  return (await storedBytes.find(accountId))?.bytes ?? 0;
}

function full(stored: number, bytes: number, limit: number): AppError {
  const used = inMegabytes(stored);
  return new AppError(
    'storage_limit_reached',
    `The account holds ${used} of ${limit} MB, and this request adds ${inMegabytes(bytes)} MB; ${HELP}`,
    { details: { limitName: 'storageMb', limit, used } },
  );
}
