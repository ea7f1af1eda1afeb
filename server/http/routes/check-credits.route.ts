import { defineRoute } from '../define-route.ts';

/** `POST /v1/credits/check`: returns the cost of a batch; charges nothing. */
export const checkCreditsRoute = defineRoute('checkCredits', ({ account, body }, services) =>
  services.gateway.billing.check(account, body),
);
