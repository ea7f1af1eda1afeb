import { defineRoute } from '../define-route.ts';
import { streamExport } from '../streams/stream-export.ts';

/** `POST /v1/sessions/:sessionId/export`: 1 credit per image, charged before the work. */
export const exportImagesRoute = defineRoute('exportImages', ({ ctx, account, params, body }, services) =>
  streamExport({ ctx, account, kind: 'export', sessionId: params.sessionId, body }, services),
);

/** `POST /v1/export`: the same with the session id in the body. */
export const exportImagesFlatRoute = defineRoute('exportImagesFlat', ({ ctx, account, body }, services) =>
  streamExport({ ctx, account, kind: 'export', sessionId: body.sessionId, body }, services),
);
