import type { Context } from 'koa';
import { defineRoute } from '../define-route.ts';
import { sendFile } from '../downloads/send-file.ts';

/** `GET /shared/images`: what the visitors of a link see. */
export const listSharedImagesRoute = defineRoute('listSharedImages', ({ share }, { shares }) => shares.images(share));

/** `GET /shared/images/:imageId/preview`. */
export const getSharedPreviewRoute = defineRoute(
  'getSharedPreview',
  async ({ ctx, share, params: { imageId }, query }, { shares, sessions, store }) => {
    const image = await shares.findImage(share, imageId);
    const { key, size, width } = await sessions.previewOf(image, query.width, leaving(ctx));
    const etag = `${imageId}-${width}`;
    await sendFile(ctx, { key, size, filename: `${etag}.webp`, mimeType: 'image/webp', etag, inline: true }, store);
  },
);

/** `GET /shared/images/:imageId/original`: the uploaded pixels without private metadata. */
export const getSharedOriginalRoute = defineRoute(
  'getSharedOriginal',
  async ({ ctx, share, params: { imageId } }, { shares, sessions, store }) => {
    const image = await shares.findImage(share, imageId);
    const { key, size } = await sessions.bareOriginal(image, leaving(ctx));
    const { originalFilename: filename, mimeType } = image;
    await sendFile(ctx, { key, size, filename, mimeType, etag: `${imageId}-bare`, inline: true }, store);
  },
);

/** `GET /shared/images/:imageId/result`. */
export const getSharedResultRoute = defineRoute(
  'getSharedResult',
  async ({ ctx, share, params: { imageId } }, { shares, store }) => {
    const { path: key, size, filename, mimeType, sha256: etag } = await shares.findResult(share, imageId);
    await sendFile(ctx, { key, size, filename, mimeType, etag, inline: true }, store);
  },
);

/** `POST /shared/images/:imageId/answer`. */
export const answerSharedImageRoute = defineRoute('answerSharedImage', ({ share, params, body }, { shares }) =>
  shares.answer(share, params.imageId, body),
);

/** Returns a signal that aborts when the client has left. */
function leaving(ctx: Context): AbortSignal {
  const gone = new AbortController();
  ctx.res.once('close', () => gone.abort(new Error('the client has left')));
  return gone.signal;
}
