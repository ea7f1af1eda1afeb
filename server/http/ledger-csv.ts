import { Readable } from 'node:stream';
import type { Context } from 'koa';
import type { LedgerFilter } from '#contract';
import { csvLine } from '#contract/constants';
import type { Services } from './services.ts';

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
