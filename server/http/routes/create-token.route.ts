import type { SessionToken } from '#contract';
import { AppError } from '../../errors.ts';
import type { GatewayState } from '../../gateway/index.ts';
import { defineRoute } from '../define-route.ts';

/** `POST /v1/tokens`: a key of one session, one origin and one hour. Asks for an API key, with which the token ends. */
export const createTokenRoute = defineRoute(
  'createToken',
  async ({ ctx, account, body }, services): Promise<SessionToken> => {
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
);
