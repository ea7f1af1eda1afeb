import { Readable } from 'node:stream';
import type { LedgerFilter } from '#contract';
import { csvLine } from '../../../accounts/index.ts';
import { defineRoute } from '../../define-route.ts';
import type { Services } from '../../services.ts';
import { reportUsage } from '../../usage-report.ts';

/** `GET /account/usage`. */
export const getUsageRoute = defineRoute('getUsage', ({ account, query }, services) =>
  reportUsage({ accountId: account.id, days: query.days }, services),
);

/** `GET /account/jobs`. */
export const listJobsRoute = defineRoute('listJobs', async ({ account, query }, { jobs }) => ({
  jobs: await jobs.history.recent(account.id, query.limit),
}));

/** `GET /account/ledger`. */
export const listLedgerRoute = defineRoute('listLedger', ({ account, query }, { accounts }) =>
  accounts.transactions.page(account.id, query),
);

async function* ledgerLines(accountId: string, filter: LedgerFilter, { accounts }: Services): AsyncGenerator<string> {
  // Spreadsheets recognise UTF-8 by its byte order mark.
  yield `\ufeff${csvLine(['time', 'kind', 'credits', 'reference', 'note', 'id'])}`;
  for await (const { id, kind, delta, ref, note, at } of accounts.transactions.all(accountId, filter)) {
    yield csvLine([at, kind, delta, ref, note, id]);
  }
}

/** `GET /account/ledger.csv`: streamed, so that a long ledger needs no memory. */
export const exportLedgerRoute = defineRoute('exportLedger', async ({ ctx, account, query }, services) => {
  ctx.set({
    'Content-Type': 'text/csv; charset=utf-8; header=present',
    'Content-Disposition': `attachment; filename="imagewright-ledger-${new Date().toISOString().slice(0, 10)}.csv"`,
    'X-Content-Type-Options': 'nosniff',
  });
  ctx.status = 200;
  ctx.body = Readable.from(ledgerLines(account.id, query, services));
});
