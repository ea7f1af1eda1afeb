import { defineRoute } from '../define-route.ts';

/** `GET /v1/credits/transactions`: the ledger, newest first. */
export const listTransactionsRoute = defineRoute('listTransactions', ({ account, query }, services) =>
  services.accounts.transactions.page(account.id, query),
);
