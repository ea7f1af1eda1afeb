import type { Session } from '#contract';
import { showImage } from '../../sessions/index.ts';
import { defineRoute } from '../define-route.ts';

/** `GET /v1/sessions/:sessionId`: the session with its images and jobs, so that a client can resume. */
export const getSessionRoute = defineRoute('getSession', async ({ account, params }, services): Promise<Session> => {
  const session = await services.sessions.find(account.id, params.sessionId);
  const images = await services.sessions.findImages(account.id, params.sessionId);
  return {
    sessionId: session._id,
    createdAt: session.createdAt.toISOString(),
    expiresAt: session.expiresAt.toISOString(),
    images: images.map(showImage),
    analysis: { status: await services.analyzeImages.status(account.id, params.sessionId) },
    jobs: await services.jobs.list(account.id, params.sessionId),
  };
});
