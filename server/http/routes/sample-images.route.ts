import { defineRoute } from '../define-route.ts';
import { streamJob } from '../stream-job.ts';

/** `POST /v1/sessions/:sessionId/sample`: up to 5 images, free, in a namespace of their own. */
export const sampleImagesRoute = defineRoute('sampleImages', ({ ctx, account, params, body }, services) =>
  streamJob({ ctx, account, kind: 'sample', sessionId: params.sessionId, body }, services),
);
