import type { EditedImage } from '#contract';
import { defineRoute } from '../define-route.ts';

/** `PATCH /v1/sessions/:sessionId/images/:imageId`: stores edits, which later analyses do not overwrite. */
export const updateImageRoute = defineRoute(
  'updateImage',
  async ({ account, params, body }, services): Promise<EditedImage> => {
    const { sessionId, imageId } = params;
    const image = await services.sessions.editMetadata(account.id, sessionId, imageId, body);
    if (body.metadata?.filename === undefined) return image;
    return { ...image, renamedFiles: await services.exports.rename(account.id, sessionId, imageId) };
  },
);
