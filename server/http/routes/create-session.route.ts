import { newId } from '../../ids.ts';
import { defineRoute } from '../define-route.ts';
import { runOnce } from '../idempotency/run-once.ts';
import { receiveUpload } from '../uploads/receive-upload.ts';

/** `POST /v1/sessions`: creates a session with the accepted files; the others are listed as rejected. */
export const createSessionRoute = defineRoute('createSession', async ({ ctx, account }, services) => {
  const incoming = await receiveUpload(ctx, services);
  try {
    const once = { ctx, account, operation: 'createSession', requestHash: incoming.fingerprint };
    await runOnce(once, services, async () => {
      const sessionId = newId('sess');
      const create = () => services.sessions.create(account.id, incoming.upload, sessionId);
      const { token } = account;
      const body = await (token ? services.accounts.tokens.bindDuring(token.id, sessionId, create) : create());
      return { status: 201, headers: { Location: `/v1/sessions/${body.sessionId}` }, body };
    });
  } finally {
    await incoming.discard();
  }
});
