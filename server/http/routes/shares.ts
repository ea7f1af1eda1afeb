import { departureOf, sendFile, sendOpened, sendPreview } from '../downloads/send-file.ts';
import type { Handlers } from '../handlers.ts';

/** Handlers of links to sessions, and of their visitors. */
export const SHARE_ROUTES = {
  /** `POST /v1/sessions/:sessionId/shares`: the response is the only one that contains the link. */
  createShare: ({ account, params, body }, { shares }) => shares.create(account.id, params.sessionId, body),

  listShares: async ({ account, params: { sessionId } }, { shares }) => ({
    sessionId,
    shares: await shares.list(account.id, sessionId),
  }),

  revokeShare: async ({ ctx, account, params }, { shares }) => {
    await shares.revoke(account.id, params.sessionId, params.shareId);
    ctx.status = 204;
  },

  /** `GET /shared/images`: what the visitors of a link see. */
  listSharedImages: ({ share }, { shares }) => shares.images(share),

  getSharedPreview: async ({ ctx, share, params: { imageId }, query }, { shares, sessions, store }) => {
    const image = await shares.findImage(share, imageId);
    await sendPreview(ctx, imageId, await sessions.previewOf(image, query.width, departureOf(ctx)), store);
  },

  /** `GET /shared/images/:imageId/original`: the uploaded pixels without private metadata. */
  getSharedOriginal: async ({ ctx, share, params: { imageId } }, { shares, sessions, store }) => {
    const image = await shares.findImage(share, imageId);
    const { key, size, stream } = await sessions.bareOriginal(image, departureOf(ctx));
    const { originalFilename: filename, mimeType } = image;
    const file = { key, size, filename, mimeType, etag: `${imageId}-bare`, inline: true };
    await sendOpened(ctx, file, stream, store);
  },

  getSharedResult: async ({ ctx, share, params: { imageId }, query }, { shares, exports, store }) => {
    const { path: key, size, filename, mimeType, sha256 } = await shares.findResult(share, imageId, query.sha256);
    const { noteDamaged: onDamaged } = exports;
    await sendFile(ctx, { key, size, filename, mimeType, etag: sha256, sha256, onDamaged, inline: true }, store);
  },

  answerSharedImage: ({ share, params, body }, { shares }) => shares.answer(share, params.imageId, body),
} satisfies Partial<Handlers>;
