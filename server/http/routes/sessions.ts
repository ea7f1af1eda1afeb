import { AppError } from '../../errors.ts';
import type { GatewayState } from '../../gateway/index.ts';
import { showImage } from '../../sessions/index.ts';
import { departureOf, sendPreview } from '../downloads/send-file.ts';
import type { Handlers } from '../handlers.ts';
import { runOnce } from '../run-once.ts';
import { receiveUpload } from '../uploads/receive-upload.ts';

/** Handlers of sessions, their images and their tokens. */
export const SESSION_ROUTES = {
  /** `POST /v1/sessions`: creates a session with the accepted files; the others are listed as rejected. */
  createSession: async ({ ctx, account }, services) => {
    const incoming = await receiveUpload(ctx, services);
    try {
      const once = { ctx, account, operation: 'createSession', requestHash: incoming.fingerprint };
      await runOnce(once, services, async (work) => {
        const { sessionId, earlier } = await services.sessions.sessionIdOf(work);
        const create = () => services.sessions.create(account.id, incoming.upload, sessionId, work);
        const { token } = account;
        const binding = { sessionId, earlier: work.isRepeated ? [sessionId, ...earlier] : [] };
        const body = await (token ? services.accounts.tokens.bindDuring(token.id, binding, create) : create());
        return { status: 201, headers: { Location: `/v1/sessions/${body.sessionId}` }, body };
      });
    } finally {
      await incoming.discard();
    }
  },

  /** `GET /v1/sessions`: the account's sessions that can be continued. */
  listSessions: async ({ account, query }, { sessions }) => ({
    sessions: await sessions.recent(account.id, query.limit),
  }),

  /** `POST /v1/sessions/:sessionId/images`: adds files to a session; used for parallel uploads. */
  addImages: async ({ ctx, account, params }, services) => {
    const session = await services.sessions.find(account.id, params.sessionId);
    const incoming = await receiveUpload(ctx, services);
    try {
      const requestHash = `${params.sessionId} ${incoming.fingerprint}`;
      await runOnce({ ctx, account, operation: 'addImages', requestHash }, services, async (work) => {
        const body = await services.sessions.addImages(session, incoming.upload, work);
        return { status: 201, headers: {}, body };
      });
    } finally {
      await incoming.discard();
    }
  },

  /** `GET /v1/sessions/:sessionId`: the session with its images and jobs, so that a client can resume. */
  getSession: async ({ account, params }, services) => {
    const session = await services.sessions.find(account.id, params.sessionId);
    const images = await services.sessions.findImages(account.id, params.sessionId);
    return {
      sessionId: session._id,
      createdAt: session.createdAt.toISOString(),
      expiresAt: session.expiresAt.toISOString(),
      images: images.map(showImage),
      analysis: { status: await services.analyzeImages.status(account.id, params.sessionId) },
      jobs: await services.gateway.billing.allSeenBy(account, await services.jobs.list(account.id, params.sessionId)),
    };
  },

  /** `DELETE /v1/sessions/:sessionId`: stops its jobs and removes its files at once. */
  deleteSession: async ({ ctx, account, params }, services) => {
    await services.disposal.delete(account.id, params.sessionId);
    ctx.status = 204;
  },

  /** `PATCH /v1/sessions/:sessionId/images/:imageId`: stores edits, which later analyses do not overwrite. */
  updateImage: async ({ account, params, body }, services) => {
    const { sessionId, imageId } = params;
    const image = await services.sessions.editMetadata(account.id, sessionId, imageId, body);
    if (body.metadata?.filename === undefined) return image;
    return { ...image, renamedFiles: await services.exports.rename(account.id, sessionId, imageId) };
  },

  /** `GET …/images/:imageId/preview`: a small WebP for review screens. */
  previewImage: async ({ ctx, account, params, query }, services) => {
    const { sessionId, imageId } = params;
    const wanted = { accountId: account.id, sessionId, imageId, atLeast: query.width };
    const preview = await services.sessions.preview(wanted, departureOf(ctx));
    await sendPreview(ctx, imageId, preview, services.store);
  },

  /** `POST /v1/tokens`: a key of one session, one origin and one hour. Asks for an API key, with which the token ends. */
  createToken: async ({ ctx, account, body }, services) => {
    const { apiKeyId: keyId } = ctx.state as GatewayState;
    if (keyId === undefined) throw new AppError('invalid_api_key', 'expected an API key in the X-API-Key header');
    const { sessionId = null, ...wanted } = body;
    if (sessionId !== null) await services.sessions.find(account.id, sessionId);
    const { token, expiresAt } = await services.accounts.tokens.create({
      accountId: account.id,
      keyId,
      sessionId,
      ...wanted,
    });
    return { token, expiresAt: expiresAt.toISOString(), sessionId, ...wanted };
  },
} satisfies Partial<Handlers>;
