import type { Usage, UsageFigures } from '#contract';
import type { Services } from './services.ts';

const DAY_MS = 86_400_000;
const NOTHING: UsageFigures = { images: 0, samples: 0, analyses: 0, credits: 0, bytesBefore: 0, bytesAfter: 0 };

/** Reports an account's usage of the last days in UTC, today included: work from the jobs, credits from the ledger. */
export async function reportUsage(
  { accountId, days, now = new Date() }: { accountId: string; days: number; now?: Date },
  { accounts, jobs }: Pick<Services, 'accounts' | 'jobs'>,
): Promise<Usage> {
  const dayOf = (daysAgo: number) => new Date(now.getTime() - daysAgo * DAY_MS).toISOString().slice(0, 10);
  const from = dayOf(days - 1);
  const [work, spending] = await Promise.all([
    jobs.history.byDay(accountId, from),
    accounts.transactions.spending(accountId, from),
  ]);
  const listed = Array.from({ length: days }, (_, index) => {
    const day = dayOf(days - 1 - index);
    return { day, ...NOTHING, ...work.get(day), credits: spending.get(day) ?? 0 };
  });
  return { from, to: dayOf(0), days: listed, total: listed.reduce(add, NOTHING) };
}

function add(total: UsageFigures, figures: UsageFigures): UsageFigures {
  const names = Object.keys(NOTHING) as (keyof UsageFigures)[];
  return Object.fromEntries(names.map((name) => [name, total[name] + figures[name]])) as UsageFigures;
}
