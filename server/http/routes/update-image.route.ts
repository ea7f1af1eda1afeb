import { defineRoute } from '../define-route.ts';

/** `PATCH /v1/sessions/:sessionId/images/:imageId`: what a person edits is theirs from then on. */
export const updateImageRoute = defineRoute('updateImage', ({ account, params, body }, services) =>
  services.sessions.editMetadata(account.id, params.sessionId, params.imageId, body.metadata),
);
