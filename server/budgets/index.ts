// Owns counts against limits, in this process or shared by all servers of a database. Must not know what is counted.
import { type Budget, type BudgetDeps, type BudgetOptions, createProcessBudget } from './budget.ts';
import { createSharedBudget } from './shared-budget.ts';

export type { Budget, Limit, SharedCounters, Taken } from './budget.ts';

/** Creates a budget: with `counters` one that all servers share, else one of this process. */
export function createBudget(options: BudgetOptions, deps: BudgetDeps): Budget {
  const { counters, now = () => new Date(), monotonicNow = () => performance.now() } = deps;
  return counters ? createSharedBudget(options, { counters, now }) : createProcessBudget(options, monotonicNow);
}
