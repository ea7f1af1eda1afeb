import { defineRoute } from '../../define-route.ts';
import { sendLedgerCsv } from '../../ledger-csv.ts';
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

/** `GET /account/ledger.csv`. */
export const exportLedgerRoute = defineRoute('exportLedger', async ({ ctx, account, query }, services) =>
  sendLedgerCsv(ctx, account.id, query, services),
);
