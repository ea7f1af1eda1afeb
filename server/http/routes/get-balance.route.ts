import { defineRoute } from '../define-route.ts';

/** `GET /v1/credits/balance`. */
export const getBalanceRoute = defineRoute('getBalance', ({ account }, services) =>
  services.gateway.billing.balance(account.id),
);
