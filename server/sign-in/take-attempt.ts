import type { Budget, Limit, Taken } from '../budgets/index.ts';
import { AppError } from '../errors.ts';

const MINUTE_MS = 60_000;

/** Window in which wrong passwords are counted, in milliseconds. */
export const GUESS_WINDOW_MS = 15 * MINUTE_MS;
/** Mails that one network address, or one account, may request per hour. */
const MAILS_PER_HOUR = 10;

/** Counts an attempt before it is made. @throws AppError too_many_attempts */
export async function takeAttempt(budget: Budget, limits: Limit[]): Promise<Taken> {
  const taken = await budget.take(limits);
  if (taken.isTaken) return taken;
  const seconds = Math.max(1, Math.ceil(taken.endsInMs / 1000));
  throw new AppError('too_many_attempts', `Too many attempts; try again in ${seconds} seconds`, {
    headers: { 'Retry-After': String(seconds) },
  });
}

/** Counts a mail that a network address or an account requests. @throws AppError too_many_attempts */
export async function takeMail(requests: Budget, key: string): Promise<void> {
  await takeAttempt(requests, [{ key, limit: MAILS_PER_HOUR, windowMs: 60 * MINUTE_MS }]);
}
