import type { AccountRecord, AccountRepository, ApiKeyRecord, ApiKeyRepository } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { newId } from '../ids.ts';
import { hashApiKey, hasKeyForm, makeApiKey, sameHash } from './key-format.ts';
import type { Plans } from './plans.ts';

const TOUCH_INTERVAL_MS = 60_000;
const NAME_LENGTH = 100;
/** Most keys of one account, deactivated ones included. */
const MAX_KEYS = 1000;

/** Dependencies of {@link createApiKeys}. */
export interface ApiKeysDeps {
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
export function createApiKeys({ accounts, apiKeys, plans, pepper, now }: ApiKeysDeps) {
  async function activateKey(account: AccountRecord, keyId: string): Promise<void> {
    const { keys: limit } = plans.get(account.plan);
    if (await accounts.addActiveKey(account._id, keyId, limit)) return;
    const current = await requireAccount(account._id);
    if (current.activeKeys.includes(keyId)) return;
    throw new AppError(
      'key_limit_reached',
      `expected at most ${limit} active API ${limit === 1 ? 'key' : 'keys'} on the plan ${account.plan}, all in use: deactivate one first`,
      { details: { limit, used: current.activeKeys.length } },
    );
  }

  async function requireAccount(accountId: string): Promise<AccountRecord> {
    const account = await accounts.find(accountId);
    if (!account || account.deletedAt) throw new AppError('not_found', `No account ${accountId}`);
    return account;
  }

  async function refuseHoarding(accountId: string, keyId: string): Promise<void> {
    const used = await apiKeys.countOf(accountId);
    if (used < MAX_KEYS || (await apiKeys.find(accountId, keyId))) return;
    const message = `expected at most ${MAX_KEYS} API keys, deactivated ones included: delete one first`;
    throw new AppError('key_limit_reached', message, { details: { limit: MAX_KEYS, used } });
  }

  async function requireKey(accountId: string, keyId: string): Promise<ApiKeyRecord> {
    const key = await apiKeys.find(accountId, keyId);
    if (!key) throw new AppError('not_found', `No API key ${keyId}`);
    return key;
  }

  return {
    /**
     * Creates a key. The returned `apiKey` cannot be read again.
     * @param made the key, fixed by the caller, so that a repeated request creates no second one
     * @throws AppError key_limit_reached if all active keys of the plan are in use
     */
    async create({ accountId, name, made = newApiKey() }: { accountId: string; name: string; made?: NewApiKey }) {
      const account = await requireAccount(accountId);
      const { keyId, apiKey } = made;
      await refuseHoarding(accountId, keyId);
      const record: ApiKeyRecord = {
        _id: keyId,
        accountId,
        name: cleanName(name),
        hash: hashApiKey(apiKey, pepper),
        last4: apiKey.slice(-4),
        createdAt: now(),
        lastUsedAt: null,
        disabledAt: null,
      };
      await apiKeys.insert(record);
      try {
        await activateKey(account, keyId);
      } catch (error) {
        if (error instanceof AppError) await apiKeys.remove(accountId, keyId);
        throw error;
      }
      return made;
    },

    /** Returns a key of an account. @throws AppError not_found */
    async get(accountId: string, keyId: string): Promise<ApiKey> {
      const { activeKeys } = await requireAccount(accountId);
      return toApiKey(await requireKey(accountId, keyId), activeKeys.includes(keyId));
    },

    /** Deletes a key; it gets 401 from then on. @throws AppError not_found */
    async remove(accountId: string, keyId: string): Promise<void> {
      await requireKey(accountId, keyId);
      await accounts.removeActiveKey(accountId, keyId);
      await apiKeys.remove(accountId, keyId);
    },

    /** Lists an account's keys, oldest first. */
    async list(accountId: string): Promise<ApiKey[]> {
      const { activeKeys } = await requireAccount(accountId);
      return (await apiKeys.list(accountId)).map((key) => toApiKey(key, activeKeys.includes(key._id)));
    },

    /** Deactivates a key at once; it gets 403 from then on. */
    async deactivate(accountId: string, keyId: string): Promise<ApiKey> {
      const key = await requireKey(accountId, keyId);
      const removed = await accounts.removeActiveKey(accountId, keyId);
      const disabledAt = removed || !key.disabledAt ? now() : key.disabledAt;
      await apiKeys.setDisabledAt(accountId, keyId, disabledAt);
      return toApiKey({ ...key, disabledAt }, false);
    },

    /** Activates a key. @throws AppError key_limit_reached if all active keys of the plan are in use */
    async activate(accountId: string, keyId: string): Promise<ApiKey> {
      const key = await requireKey(accountId, keyId);
      await activateKey(await requireAccount(accountId), keyId);
      await apiKeys.setDisabledAt(accountId, keyId, null);
      return toApiKey({ ...key, disabledAt: null }, true);
    },

    async rename(accountId: string, keyId: string, name: string): Promise<void> {
      if (!(await apiKeys.rename(accountId, keyId, cleanName(name)))) {
        throw new AppError('not_found', `No API key ${keyId}`);
      }
    },

    /** Returns the account of a key, for the operator's commands; null if the key does not exist. */
    async ownerOf(keyId: string): Promise<string | null> {
      return apiKeys.findOwner(keyId);
    },

    /** Checks a key against the database. Nothing is cached, so a deactivation takes effect at once. */
    async check(presented: unknown): Promise<KeyCheck> {
      if (typeof presented !== 'string' || !hasKeyForm(presented)) return { outcome: 'malformed' };
      const hash = hashApiKey(presented, pepper);
      const key = await apiKeys.findByHash(hash);
      if (!key || !sameHash(key.hash, hash)) return { outcome: 'unknown' };
      const account = await accounts.find(key.accountId);
      if (!account || account.deletedAt) return { outcome: 'unknown' };
      if (!account.activeKeys.includes(key._id)) return { outcome: 'inactive' };
      if (account.suspendedAt) return { outcome: 'suspended' };
      await noteUse(key);
      return { outcome: 'valid', keyId: key._id, account };
    },
  };

  async function noteUse(key: ApiKeyRecord): Promise<void> {
    const at = now();
    const notAfter = new Date(at.getTime() - TOUCH_INTERVAL_MS);
    if (key.lastUsedAt && key.lastUsedAt > notAfter && key.lastUsedAt <= at) return;
    // A full disk must not reject requests that only read.
    await apiKeys.touch(key.accountId, key._id, at, notAfter).catch(() => {});
  }
}

/** API keys of all accounts. */
export type ApiKeys = ReturnType<typeof createApiKeys>;

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
