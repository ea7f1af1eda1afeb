import { createHash, randomUUID } from 'node:crypto';
import { beforeAll } from 'vitest';
import type { BudgetOptions } from '../../server/budgets/budget.ts';
import { type Budget, createBudget, type SharedCounters } from '../../server/budgets/index.ts';
import { createCounterRepository } from '../../server/db/repositories/counters.ts';
import { useDatabase } from '../db/embedded/embedded-fixture.ts';

/** The two forms of a budget. */
export const FORMS = ['of a process', 'shared by two servers'] as const;

/** A budget as a test uses it. */
export interface BudgetRig {
  /** Takes one, on another server each time; true if it was taken. */
  take(key: string, limit?: number): Promise<boolean>;
  /** The budget of each server; of a process twice the same. */
  servers: readonly [Budget, Budget];
  /** Moves all clocks. */
  wait(ms: number): void;
  /** Moves the clock of the system, but not the monotonic one. */
  setClock(ms: number): void;
  /** Calls of the database so far. */
  calls(): number;
  /** Makes each call of the database fail. */
  state: { isAway: boolean };
}

/** Window of a rig, in milliseconds. */
export const WINDOW_MS = 900_000;

/** Makes budgets of one form on a database of the test file. */
export function useBudgets(form: (typeof FORMS)[number]): (options?: Partial<BudgetOptions>) => BudgetRig {
  const database = useDatabase();
  let repository: ReturnType<typeof createCounterRepository>;
  beforeAll(() => {
    repository = createCounterRepository(database.connection);
  });
  return (options = {}) => {
    const clock = { now: Date.now(), monotonic: 0 };
    const state = { isAway: false };
    let calls = 0;
    const counted = <T>(work: () => Promise<T>) => {
      calls += 1;
      return state.isAway ? Promise.reject(new Error('the database is away')) : work();
    };
    const counters: SharedCounters = {
      take: (count) => counted(() => repository.take(count)),
      giveBack: (count) => counted(() => repository.giveBack(count)),
      forget: (id) => counted(() => repository.forget(id)),
    };
    const name = createHash('sha256').update(randomUUID()).digest('hex').slice(0, 8);
    const deps = { now: () => new Date(clock.now), monotonicNow: () => clock.monotonic };
    const server = () => createBudget({ name, ...options }, form === 'of a process' ? deps : { ...deps, counters });
    const first = server();
    const servers = [first, form === 'of a process' ? first : server()] as const;
    let turn = 0;
    return {
      async take(key, limit = 2) {
        turn += 1;
        const budget = servers[turn % 2] as Budget;
        return (await budget.take([{ key, limit, windowMs: WINDOW_MS }])).isTaken;
      },
      servers,
      wait(ms) {
        clock.now += ms;
        clock.monotonic += ms;
      },
      setClock(ms) {
        clock.now += ms;
      },
      calls: () => calls,
      state,
    };
  };
}
