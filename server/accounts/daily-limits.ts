import type { DailyCounter, DailyLimitName, PlanLimitName } from '#contract';
import { PLAN_LIMIT_NAMES, PLAN_LIMITS } from '#contract';
import type {
  AccountRecord,
  AccountRepository,
  SessionRepository,
  StoredBytesRepository,
  StoredCounter,
} from '../db/index.ts';
import { AppError } from '../errors.ts';
import { PLACEHOLDER_EMAIL } from './accounts.ts';
import type { Plan } from './config.ts';
import type { Plans } from './plans.ts';

/** Dependencies of the limits of accounts. */
export interface LimitsDeps {
  accounts: Pick<AccountRepository, 'find' | 'countToday' | 'uncountToday'>;
  sessions: Pick<SessionRepository, 'countLive' | 'nextExpiry' | 'bytesOfAccount'>;
  storedBytes: StoredBytesRepository;
  plans: Pick<Plans, 'get'>;
  now: () => Date;
}

const DAY_MS = 86_400_000;
/** Limits by the name under which the images of a day are counted. */
const NAMES = Object.fromEntries(PLAN_LIMIT_NAMES.map((name) => [PLAN_LIMITS[name].counter, name])) as {
  [Counter in DailyCounter]: DailyLimitName;
};

/** Returns the limits of an account; none for operators and the first account. */
export function limitsOf({ plans }: LimitsDeps, account: AccountRecord | null): Pick<Plan, PlanLimitName> {
  if (!account || account.role === 'operator' || account.email === PLACEHOLDER_EMAIL) return {};
  return plans.get(account.plan);
}

/** Formats the day (UTC) of a time, e.g. `2026-01-31`. */
export const dayOf = (date: Date) => date.toISOString().slice(0, 10);

/** Returns the next midnight (UTC). */
export function nextDay(date: Date): Date {
  return new Date((Math.floor(date.getTime() / DAY_MS) + 1) * DAY_MS);
}

/** Counts images towards a limit of the day, or nothing. @throws AppError daily_limit_reached */
export async function count(deps: LimitsDeps, accountId: string, counter: DailyCounter, images: number) {
  const account = await deps.accounts.find(accountId);
  const limit = limitsOf(deps, account)[NAMES[counter]];
  if (limit === undefined) return null;
  const at = deps.now();
  const counted = { day: dayOf(at), counter, images };
  if (images === 0 || (await deps.accounts.countToday(accountId, counted, limit))) return counted;
  const used = usedToday((await deps.accounts.find(accountId)) ?? account, counter, at);
  const limitName = NAMES[counter];
  const fault = `${limitName}: ${used} of ${limit} images are used today, so there is no room for ${images} more`;
  throw dailyLimitReached(fault, { limitName, limit, used }, at);
}

function dailyLimitReached(fault: string, details: { limitName: string; limit: number; used: number }, at: Date) {
  const seconds = Math.ceil((nextDay(at).getTime() - at.getTime()) / 1000);
  const message = `${fault}; the count begins anew at midnight (UTC)`;
  return new AppError('daily_limit_reached', message, { details, headers: { 'Retry-After': String(seconds) } });
}

/** Checks that the images of the day are not used up. @throws AppError daily_limit_reached */
export async function requireLeft(deps: LimitsDeps, accountId: string, counter: DailyCounter): Promise<void> {
  const account = await deps.accounts.find(accountId);
  const limit = limitsOf(deps, account)[NAMES[counter]];
  if (limit === undefined) return;
  const at = deps.now();
  const used = usedToday(account, counter, at);
  if (used < limit) return;
  const fault = `${used} of ${limit} images of the day were sampled, or exported with onlySmaller without a gain`;
  throw dailyLimitReached(fault, { limitName: NAMES[counter], limit, used }, at);
}

/**
 * Checks that images that ended by a limit have not used up the day's by themselves.
 * @param isMade tells whether there is nothing to encode
 * @throws AppError daily_limit_reached
 */
export async function requireFewOverruns(
  deps: LimitsDeps,
  accountId: string,
  isMade: () => Promise<boolean>,
): Promise<void> {
  const account = await deps.accounts.find(accountId);
  const limit = limitsOf(deps, account)[NAMES.samples];
  if (limit === undefined) return;
  const at = deps.now();
  const used = usedToday(account, 'overruns', at);
  // A plan without samples exports, too.
  if (used < Math.max(limit, 1) || (await isMade())) return;
  const fault = `${used} images of the day ended by a limit of time or memory, of ${limit} that may`;
  throw dailyLimitReached(fault, { limitName: NAMES.samples, limit, used }, at);
}

/** Counts an image after its work, also above the limit. */
export async function countOne(deps: LimitsDeps, accountId: string, counter: StoredCounter): Promise<void> {
  const limit = limitsOf(deps, await deps.accounts.find(accountId))[
    NAMES[counter === 'overruns' ? 'samples' : counter]
  ];
  if (limit === undefined) return;
  const one = { day: dayOf(deps.now()), counter, images: 1 };
  await deps.accounts.countToday(accountId, one, Number.MAX_SAFE_INTEGER);
}

/** Returns the images of a counter that the day has; 0 on another day. */
export function usedToday(account: AccountRecord | null, counter: StoredCounter, at: Date): number {
  return account?.today?.day === dayOf(at) ? (account.today[counter] ?? 0) : 0;
}
