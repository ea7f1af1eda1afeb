import { defineRoute } from '../define-route.ts';
import { dispositionOf, sendFile } from '../downloads/send-file.ts';

/** `GET /v1/sessions/:sessionId/download`: sends a stored file. The name is looked up in the records, never joined to a path. */
export const downloadFileRoute = defineRoute('downloadFile', async ({ ctx, account, params, query }, services) => {
  const { store, downloads } = services;
  const found = await services.exports.findFile(account.id, params.sessionId, query.filename);
  const { path: key, size, filename, mimeType, sha256 } = found;
  const disposition = dispositionOf({ filename });
  const url = downloads === 'redirect' ? await store.urlOf(key, { mimeType, disposition }) : null;
  if (url !== null) {
    ctx.set('Cache-Control', 'private, no-store');
    ctx.redirect(url);
    return;
  }
  await sendFile(ctx, { key, size, filename, mimeType, etag: sha256 }, store);
});
