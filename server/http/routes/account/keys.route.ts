import type { ApiKeyView, LogAction, LogChange } from '#contract';
import { type ApiKey, newApiKey } from '../../../accounts/index.ts';
import { defineRoute } from '../../define-route.ts';
import { operateOnOwn } from '../../operate.ts';
import { requirePassword } from '../../require-password.ts';

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
export const createKeyRoute = defineRoute('createKey', async (input, services) => {
  const { account, body } = input;
  const { keys } = services.accounts;
  requirePassword(input);
  const made = newApiKey();
  const { keyId, apiKey } = made;
  const creation = { action: 'key.create', target: account.id, change: { keyId, name: body.name } } as const;
  await operateOnOwn(input, creation, services, () => keys.create({ accountId: account.id, name: body.name, made }));
  return { ...show(await keys.get(account.id, keyId)), apiKey };
});

/** `PATCH /account/keys/:keyId`. */
export const updateKeyRoute = defineRoute('updateKey', async (input, services) => {
  const { account, params, body } = input;
  const { keys } = services.accounts;
  const { keyId } = params;
  // Deactivating a leaked key must not wait for a password.
  if (body.active === true) requirePassword(input);
  const { name } = await keys.get(account.id, keyId);
  const change = (action: LogAction, details: LogChange, run: () => Promise<unknown>) =>
    operateOnOwn(input, { action, target: account.id, change: { keyId, name, ...details } }, services, run);
  // The change that may be refused comes first, so that a refusal changes nothing.
  if (body.active === true) await change('key.activate', {}, () => keys.activate(account.id, keyId));
  if (body.active === false) await change('key.deactivate', {}, () => keys.deactivate(account.id, keyId));
  const to = body.name;
  if (to !== undefined) await change('key.rename', { to }, () => keys.rename(account.id, keyId, to));
  return show(await keys.get(account.id, keyId));
});

/** `DELETE /account/keys/:keyId`. */
export const deleteKeyRoute = defineRoute('deleteKey', async (input, services) => {
  const { ctx, account, params } = input;
  const { keys } = services.accounts;
  const { keyId } = params;
  const { name } = await keys.get(account.id, keyId);
  const deletion = { action: 'key.delete', target: account.id, change: { keyId, name } } as const;
  await operateOnOwn(input, deletion, services, () => keys.remove(account.id, keyId));
  ctx.status = 204;
});
