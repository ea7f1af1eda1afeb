import { defineRoute } from '../define-route.ts';

/** `GET /v1/openapi.json`. */
export const getOpenApiRoute = defineRoute('getOpenApi', ({ ctx }, services) => services.openApi.send(ctx));
