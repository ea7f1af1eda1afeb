import type { ApiClient } from '../support/api-client.ts';
import type { TestAccount } from '../support/service.ts';

/** Origin of the pages that use the tokens. */
export const ORIGIN = 'https://www.example.com';

export type Init = Parameters<ApiClient['request']>[1];

interface TokenAnswer {
  token: string;
  expiresAt: string;
  sessionId: string | null;
}

/** Creates a session token with the key of an account. */
export const createTokenOf = ({ api }: TestAccount, wanted: Record<string, unknown>) =>
  api.readJson<TokenAnswer>('/v1/tokens', { json: { origin: ORIGIN, ...wanted } });

/** Sends a request with a session token, from the origin of the token. */
export function callWithToken(
  api: ApiClient,
  token: string,
  path: string,
  { headers, ...init }: NonNullable<Init> = {},
) {
  return api.request(path, { ...init, headers: { 'X-API-Key': token, Origin: ORIGIN, ...headers } });
}

/** Returns status and code of a response. */
export async function outcomeOf(response: Promise<Response>): Promise<string> {
  const { status, body } = await response.then(async (it) => ({ status: it.status, body: await it.text() }));
  return status < 400 ? String(status) : `${status} ${(JSON.parse(body) as { code: string }).code}`;
}
