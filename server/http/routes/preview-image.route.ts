import { defineRoute } from '../define-route.ts';
import { sendFile } from '../downloads/send-file.ts';

/** `GET …/images/:imageId/preview`: a small WebP for review screens. */
export const previewImageRoute = defineRoute('previewImage', async ({ ctx, account, params, query }, services) => {
  const { sessionId, imageId } = params;
  const wanted = { accountId: account.id, sessionId, imageId, atLeast: query.width };
  const gone = new AbortController();
  ctx.res.once('close', () => gone.abort(new Error('the client has left')));
  const { key, size, width } = await services.sessions.preview(wanted, gone.signal);
  // The preview of an image never changes, so its name is a strong validator.
  const etag = `${imageId}-${width}`;
  await sendFile(
    ctx,
    { key, size, filename: `${etag}.webp`, mimeType: 'image/webp', etag, inline: true },
    services.store,
  );
});
