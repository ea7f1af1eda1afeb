import { defineRoute } from '../define-route.ts';

/** `GET /v1/openapi.json`. */
export const getOpenApiRoute = defineRoute('getOpenApi', async ({ ctx }, services) => {
  ctx.type = 'application/json';
  ctx.body = services.openApi;
});
