import { defineRoute } from '../define-route.ts';

/** `PATCH /v1/sessions/:sessionId/images/:imageId`: stores edits, which later analyses do not overwrite. */
export const updateImageRoute = defineRoute('updateImage', ({ account, params, body }, services) =>
  services.sessions.editMetadata(account.id, params.sessionId, params.imageId, body.metadata),
);
