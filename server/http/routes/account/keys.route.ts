import type { ApiKeyView } from '#contract';
import type { ApiKey } from '../../../accounts/index.ts';
import { defineRoute } from '../../define-route.ts';

const show = ({ createdAt, lastUsedAt, disabledAt, ...key }: ApiKey): ApiKeyView => ({
  ...key,
  createdAt: createdAt.toISOString(),
  lastUsedAt: lastUsedAt?.toISOString() ?? null,
  disabledAt: disabledAt?.toISOString() ?? null,
});

/** `GET /account/keys`. */
export const listKeysRoute = defineRoute('listKeys', async ({ account }, { accounts }) => {
  const keys = await accounts.keys.list(account.id);
  const used = keys.filter(({ active }) => active).length;
  return { keys: keys.map(show), limit: { used, limit: accounts.plans.get(account.plan).keys } };
});

/** `POST /account/keys`. Has no `Idempotency-Key`, since the stored response would contain the key. */
export const createKeyRoute = defineRoute('createKey', async ({ account, body }, { accounts }) => {
  const { keyId, apiKey } = await accounts.keys.create({ accountId: account.id, name: body.name });
  return { ...show(await accounts.keys.get(account.id, keyId)), apiKey };
});

/** `PATCH /account/keys/:keyId`. */
export const updateKeyRoute = defineRoute('updateKey', async ({ account, params, body }, { accounts }) => {
  const { keys } = accounts;
  // The change that may be refused comes first, so that a refusal changes nothing.
  if (body.active === true) await keys.activate(account.id, params.keyId);
  if (body.active === false) await keys.deactivate(account.id, params.keyId);
  if (body.name !== undefined) await keys.rename(account.id, params.keyId, body.name);
  return show(await keys.get(account.id, params.keyId));
});

/** `DELETE /account/keys/:keyId`. */
export const deleteKeyRoute = defineRoute('deleteKey', async ({ ctx, account, params }, { accounts }) => {
  await accounts.keys.remove(account.id, params.keyId);
  ctx.status = 204;
});
