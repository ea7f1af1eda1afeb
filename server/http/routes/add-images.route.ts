import { defineRoute } from '../define-route.ts';
import { runOnce } from '../idempotency/run-once.ts';
import { receiveUpload } from '../uploads/receive-upload.ts';

/** `POST /v1/sessions/:sessionId/images`: adds files to a session; used for parallel uploads. */
export const addImagesRoute = defineRoute('addImages', async ({ ctx, account, params }, services) => {
  const session = await services.sessions.find(account.id, params.sessionId);
  const incoming = await receiveUpload(ctx, services);
  try {
    const requestHash = `${params.sessionId} ${incoming.fingerprint}`;
    await runOnce({ ctx, account, operation: 'addImages', requestHash }, services, async () => {
      const body = await services.sessions.addImages(session, incoming.upload);
      return { status: 201, headers: {}, body };
    });
  } finally {
    await incoming.discard();
  }
});
