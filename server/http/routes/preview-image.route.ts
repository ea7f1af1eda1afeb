import { defineRoute } from '../define-route.ts';
import { sendPreview } from '../send-preview.ts';

/** `GET …/images/:imageId/preview`: a small WebP for review screens. */
export const previewImageRoute = defineRoute('previewImage', async ({ ctx, account, params, query }, services) => {
  const file = await services.sessions.preview(account.id, params.sessionId, params.imageId, query.width);
  await sendPreview(ctx, file);
});
