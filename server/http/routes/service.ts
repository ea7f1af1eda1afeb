import type { Handlers } from '../handlers.ts';

/** Handlers of credits and of the service itself. */
export const SERVICE_ROUTES = {
  getBalance: async ({ account }, { gateway, accounts }) => ({
    ...(await gateway.billing.balance(account.id)),
    limits: await accounts.limits.show(account.id),
  }),

  /** `POST /v1/credits/check`: returns the cost of a batch; charges nothing. */
  checkCredits: ({ account, body }, services) => services.gateway.billing.check(account, body),

  /** `GET /v1/credits/transactions`: the ledger, newest first. */
  listTransactions: ({ account, query }, services) => services.accounts.transactions.page(account.id, query),

  getLimits: async (_input, { limits }) => limits,

  getOpenApi: ({ ctx }, services) => services.openApi.send(ctx),
} satisfies Partial<Handlers>;
