import { Readable } from 'node:stream';
import type { Context } from 'koa';
import type { LedgerFilter, ServiceUsage, Usage, UsageFigures } from '#contract';
import { csvLine } from '#contract/constants';
import type { Services } from './handlers.ts';

const DAY_MS = 86_400_000;
const NO_WORK = { images: 0, samples: 0, analyses: 0, bytesBefore: 0, bytesAfter: 0 };
const NOTHING: UsageFigures = { ...NO_WORK, credits: 0 };

interface Period {
  days: number;
  now?: Date;
}

/** Reports an account's usage of the last days in UTC, today included: work from the jobs, credits from the ledger. */
export async function reportUsage(
  { accountId, ...period }: Period & { accountId: string },
  { accounts, jobs }: Pick<Services, 'accounts' | 'jobs'>,
): Promise<Usage> {
  const { from, to, days } = daysOf(period);
  const [work, spending] = await Promise.all([
    jobs.history.byDay(accountId, from),
    accounts.transactions.spending(accountId, from),
  ]);
  const listed = days.map((day) => ({ day, ...NOTHING, ...work.get(day), credits: spending.get(day) ?? 0 }));
  return { from, to, days: listed, total: sum(listed, NOTHING) };
}

/** Reports the work of all accounts in the last days in UTC, today included, and their credits. */
export async function reportServiceUsage(
  period: Period,
  { accounts, jobs }: Pick<Services, 'accounts' | 'jobs'>,
): Promise<ServiceUsage> {
  const { from, to, days } = daysOf(period);
  const [work, figures] = await Promise.all([jobs.history.byDay(null, from), accounts.figures()]);
  const { accounts: total, suspended, ...credits } = figures;
  const listed = days.map((day) => ({ day, ...NO_WORK, ...work.get(day) }));
  return { from, to, days: listed, total: sum(listed, NO_WORK), accounts: { total, suspended }, credits };
}

function daysOf({ days, now = new Date() }: Period): { from: string; to: string; days: string[] } {
  const dayOf = (daysAgo: number) => new Date(now.getTime() - daysAgo * DAY_MS).toISOString().slice(0, 10);
  return {
    from: dayOf(days - 1),
    to: dayOf(0),
    days: Array.from({ length: days }, (_, index) => dayOf(days - 1 - index)),
  };
}

function sum<Figures extends Record<string, number>>(days: Figures[], nothing: Figures): Figures {
  const total: Record<string, number> = { ...nothing };
  for (const day of days) for (const name of Object.keys(nothing)) total[name] = (total[name] ?? 0) + (day[name] ?? 0);
  return total as Figures;
}

async function* lines(accountId: string, filter: LedgerFilter, { accounts }: Services): AsyncGenerator<string> {
  // Spreadsheets recognise UTF-8 by its byte order mark.
  yield `\ufeff${csvLine(['time', 'kind', 'credits', 'reference', 'note', 'id'])}`;
  for await (const { id, kind, delta, ref, note, at } of accounts.transactions.all(accountId, filter)) {
    yield csvLine([at, kind, delta, ref, note, id]);
  }
}

/** Sends the ledger of an account as a CSV file: streamed, so that a long one needs no memory. */
export function sendLedgerCsv(ctx: Context, accountId: string, filter: LedgerFilter, services: Services): void {
  ctx.set({
    'Content-Type': 'text/csv; charset=utf-8; header=present',
    'Content-Disposition': `attachment; filename="imagewright-ledger-${new Date().toISOString().slice(0, 10)}.csv"`,
    'X-Content-Type-Options': 'nosniff',
  });
  ctx.status = 200;
  ctx.body = Readable.from(lines(accountId, filter, services));
}
