import type { LimitFunction } from 'p-limit';
import { addWithinLimit, inTurn } from '../concurrency.ts';
import type { AccountRecord, AccountRepository, ApiKeyRecord, ApiKeyRepository } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { hashSecret, hasKeyForm, makeApiKey, newId, sameHash } from '../ids.ts';
import type { Plans } from './plans.ts';

const TOUCH_INTERVAL_MS = 60_000;
const NAME_LENGTH = 100;
/** Most keys of one account, deactivated ones included. */
const MAX_KEYS = 1000;

interface ApiKeysDeps {
  accounts: AccountRepository;
  apiKeys: ApiKeyRepository;
  plans: Plans;
  pepper: Buffer;
  now: () => Date;
}

/** An API key as shown to its owner. */
export interface ApiKey {
  id: string;
  name: string;
  last4: string;
  active: boolean;
  createdAt: Date;
  /** Accurate to a minute. */
  lastUsedAt: Date | null;
  disabledAt: Date | null;
}

/** A key that is not stored yet. */
export interface NewApiKey {
  keyId: string;
  apiKey: string;
}

/** Generates a key; it is not valid until `create` stores it. */
export function newApiKey(): NewApiKey {
  return { keyId: newId('key'), apiKey: makeApiKey() };
}

/** Result of checking a key. */
export type KeyCheck =
  | { outcome: 'valid'; keyId: string; account: AccountRecord }
  | { outcome: 'malformed' | 'unknown' | 'inactive' | 'suspended' };

/**
 * Creates and checks API keys. A key is active exactly while its id is in its account's `activeKeys`, which changes in one
 * conditional update. So the plan's limit holds in any race, and a crash cannot miscount keys. A crash during creation
 * leaves at most an inactive key that was never shown.
 */
export function createApiKeys(deps: ApiKeysDeps) {
  const queues = new Map<string, LimitFunction>();
  return {
    /**
     * Creates a key. The returned `apiKey` cannot be read again.
     * @param made the key, fixed by the caller, so that a repeated request creates no second one
     * @throws AppError key_limit_reached if all active keys of the plan are in use
     */
    create: (request: { accountId: string; name: string; made?: NewApiKey }) =>
      inTurn(queues, request.accountId, () => createKey(deps, request)),

    /** Returns a key of an account. @throws AppError not_found */
    async get(accountId: string, keyId: string): Promise<ApiKey> {
      const { activeKeys } = await requireAccount(deps, accountId);
      return toApiKey(await requireKey(deps, accountId, keyId), activeKeys.includes(keyId));
    },

    /** Deletes a key; it gets 401 from then on. @throws AppError not_found */
    async remove(accountId: string, keyId: string): Promise<void> {
      await requireKey(deps, accountId, keyId);
      await deps.accounts.removeActiveKey(accountId, keyId);
      await deps.apiKeys.remove(accountId, keyId);
    },

    /** Lists an account's keys, oldest first. */
    async list(accountId: string): Promise<ApiKey[]> {
      const { activeKeys } = await requireAccount(deps, accountId);
      return (await deps.apiKeys.list(accountId)).map((key) => toApiKey(key, activeKeys.includes(key._id)));
    },

    /** Deactivates a key at once; it gets 403 from then on. */
    deactivate: (accountId: string, keyId: string): Promise<ApiKey> => deactivate(deps, accountId, keyId),

    /** Activates a key. @throws AppError key_limit_reached if all active keys of the plan are in use */
    activate: (accountId: string, keyId: string): Promise<ApiKey> => activate(deps, accountId, keyId),

    /** Renames a key. @throws AppError not_found; invalid_request if the name is empty or too long */
    async rename(accountId: string, keyId: string, name: string): Promise<void> {
      if (!(await deps.apiKeys.rename(accountId, keyId, cleanName(name)))) throw unknownKey(keyId);
    },

    /** Returns the account of a key, for the operator's commands; null if the key does not exist. */
    ownerOf: (keyId: string): Promise<string | null> => deps.apiKeys.findOwner(keyId),

    /** Checks a key against the database. Nothing is cached, so a deactivation takes effect at once. */
    check: (presented: unknown): Promise<KeyCheck> => check(deps, presented),
  };
}

async function createKey(
  deps: ApiKeysDeps,
  { accountId, name, made = newApiKey() }: { accountId: string; name: string; made?: NewApiKey },
): Promise<NewApiKey> {
  const { apiKeys, pepper, now } = deps;
  const account = await requireAccount(deps, accountId);
  const { keyId, apiKey } = made;
  const key = {
    _id: keyId,
    accountId,
    name: cleanName(name),
    hash: hashSecret(apiKey, pepper),
    last4: apiKey.slice(-4),
    createdAt: now(),
  };
  // A repeated request finds the key of the first one, which has its place.
  if (await apiKeys.find(accountId, keyId)) await apiKeys.insert(key);
  else {
    await addWithinLimit({
      requireRoom: () => requireFewKeys(deps, accountId),
      add: () => apiKeys.insert(key),
      isOver: async () => (await apiKeys.countOf(accountId)) > MAX_KEYS,
      undo: async () => void (await apiKeys.remove(accountId, keyId)),
    });
  }
  try {
    await addActiveKey(deps, account, keyId);
  } catch (error) {
    if (error instanceof AppError) await apiKeys.remove(accountId, keyId);
    throw error;
  }
  return made;
}

async function deactivate(deps: ApiKeysDeps, accountId: string, keyId: string): Promise<ApiKey> {
  const key = await requireKey(deps, accountId, keyId);
  const removed = await deps.accounts.removeActiveKey(accountId, keyId);
  const disabledAt = removed || !key.disabledAt ? deps.now() : key.disabledAt;
  await deps.apiKeys.setDisabledAt(accountId, keyId, disabledAt);
  return toApiKey({ ...key, disabledAt }, false);
}

async function activate(deps: ApiKeysDeps, accountId: string, keyId: string): Promise<ApiKey> {
  const key = await requireKey(deps, accountId, keyId);
  await addActiveKey(deps, await requireAccount(deps, accountId), keyId);
  await deps.apiKeys.setDisabledAt(accountId, keyId, null);
  return toApiKey({ ...key, disabledAt: null }, true);
}

async function check(deps: ApiKeysDeps, presented: unknown): Promise<KeyCheck> {
  if (typeof presented !== 'string' || !hasKeyForm(presented)) return { outcome: 'malformed' };
  const hash = hashSecret(presented, deps.pepper);
  const key = await deps.apiKeys.findByHash(hash);
  if (!key || !sameHash(key.hash, hash)) return { outcome: 'unknown' };
  const account = await deps.accounts.find(key.accountId);
  if (!account || account.deletedAt) return { outcome: 'unknown' };
  if (!account.activeKeys.includes(key._id)) return { outcome: 'inactive' };
  if (account.suspendedAt) return { outcome: 'suspended' };
  await noteUse(deps, key);
  return { outcome: 'valid', keyId: key._id, account };
}

async function noteUse({ apiKeys, now }: ApiKeysDeps, key: ApiKeyRecord): Promise<void> {
  const at = now();
  const notAfter = new Date(at.getTime() - TOUCH_INTERVAL_MS);
  if (key.lastUsedAt && key.lastUsedAt > notAfter && key.lastUsedAt <= at) return;
  // A full disk must not reject requests that only read.
  await apiKeys.touch(key.accountId, key._id, at, notAfter).catch(() => {});
}

/** Adds a key to the active ones, once. @throws AppError key_limit_reached */
async function addActiveKey(deps: ApiKeysDeps, account: AccountRecord, keyId: string): Promise<void> {
  const { keys: limit } = deps.plans.get(account.plan);
  if (await deps.accounts.addActiveKey(account._id, keyId, limit)) return;
  const current = await requireAccount(deps, account._id);
  if (current.activeKeys.includes(keyId)) return;
  throw new AppError(
    'key_limit_reached',
    `expected at most ${limit} active API ${limit === 1 ? 'key' : 'keys'} on the plan ${account.plan}, all in use: deactivate one first`,
    { details: { limit, used: current.activeKeys.length } },
  );
}

/** Limits the keys of an account, deactivated ones included. @throws AppError key_limit_reached */
async function requireFewKeys({ apiKeys }: ApiKeysDeps, accountId: string): Promise<void> {
  const used = await apiKeys.countOf(accountId);
  if (used < MAX_KEYS) return;
  const message = `expected at most ${MAX_KEYS} API keys, deactivated ones included: delete one first`;
  throw new AppError('key_limit_reached', message, { details: { limit: MAX_KEYS, used } });
}

async function requireAccount({ accounts }: ApiKeysDeps, accountId: string): Promise<AccountRecord> {
  const account = await accounts.find(accountId);
  if (!account || account.deletedAt) throw new AppError('not_found', `No account ${accountId}`);
  return account;
}

async function requireKey({ apiKeys }: ApiKeysDeps, accountId: string, keyId: string): Promise<ApiKeyRecord> {
  const key = await apiKeys.find(accountId, keyId);
  if (!key) throw unknownKey(keyId);
  return key;
}

function unknownKey(keyId: string): AppError {
  return new AppError('not_found', `No API key ${keyId}`);
}

function cleanName(name: string): string {
  const trimmed = name.trim();
  if (trimmed === '' || trimmed.length > NAME_LENGTH) {
    throw new AppError('invalid_request', `expected a key name of 1 to ${NAME_LENGTH} characters`);
  }
  return trimmed;
}

function toApiKey({ _id, name, last4, createdAt, lastUsedAt, disabledAt }: ApiKeyRecord, active: boolean): ApiKey {
  return { id: _id, name, last4, active, createdAt, lastUsedAt, disabledAt };
}
