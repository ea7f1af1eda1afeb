import { jobImages } from './job-images.ts';
import type { Migration } from './migration.ts';
import { namesOfImages } from './names-of-images.ts';
import { ownerPlan } from './owner-plan.ts';
import { spendingDays } from './spending-days.ts';

/**
 * The changes of stored data, in order. Number 0 is the data of services that had no number. A migration that has been
 * released is never changed; a new one is added at the end. `docs/contributing.md` says how.
 */
export const MIGRATIONS: readonly Migration[] = [jobImages, spendingDays, namesOfImages, ownerPlan];

export { migrate } from './migrate.ts';
