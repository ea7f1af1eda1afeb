import { defineRoute } from '../define-route.ts';

/** `GET /v1/credits/balance`. */
export const getBalanceRoute = defineRoute('getBalance', async ({ account }, { gateway, accounts }) => ({
  ...(await gateway.billing.balance(account.id)),
  limits: await accounts.limits.show(account.id),
}));
