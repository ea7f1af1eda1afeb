import { defineRoute } from '../define-route.ts';
import { streamExport } from '../streams/stream-export.ts';

/** `POST /v1/sessions/:sessionId/sample`: up to 5 images, free, in a separate namespace. */
export const sampleImagesRoute = defineRoute('sampleImages', ({ ctx, account, params, body }, services) =>
  streamExport({ ctx, account, kind: 'sample', sessionId: params.sessionId, body }, services),
);
