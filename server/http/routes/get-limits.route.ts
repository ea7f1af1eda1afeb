import { defineRoute } from '../define-route.ts';

/** `GET /v1/limits`. */
export const getLimitsRoute = defineRoute('getLimits', async (_input, { limits }) => limits);
