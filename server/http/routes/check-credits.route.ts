import { defineRoute } from '../define-route.ts';

/** `POST /v1/credits/check`: what a batch would cost; charges nothing. */
export const checkCreditsRoute = defineRoute('checkCredits', ({ account, body }, services) =>
  services.gateway.billing.check(account.id, body),
);
