import { defineRoute } from '../define-route.ts';
import { sendFile } from '../downloads/send-file.ts';

/** `GET /v1/sessions/:sessionId/download`: sends a stored file. The name is looked up in the records, never joined to a path. */
export const downloadFileRoute = defineRoute('downloadFile', async ({ ctx, account, params, query }, services) => {
  const found = await services.exports.findFile(account.id, params.sessionId, query.filename);
  const { file, size, filename, mimeType, sha256 } = found;
  await sendFile(ctx, { file, size, filename, mimeType, etag: sha256 });
});
