import type { AccountRecord, AccountRepository, ApiKeyRecord, ApiKeyRepository } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { newId } from '../ids.ts';
import { hashApiKey, hasKeyForm, makeApiKey, sameHash } from './key-format.ts';
import type { Plans } from './plans.ts';

const TOUCH_INTERVAL_MS = 60_000;
const NAME_LENGTH = 100;
/** Keys of one account, deactivated ones included; beyond that somebody is making them for the sake of it. */
const MOST_KEYS = 1000;

/** What {@link createApiKeys} works with. */
export interface ApiKeysDeps {
  accounts: AccountRepository;
  apiKeys: ApiKeyRepository;
  plans: Plans;
  pepper: Buffer;
  now: () => Date;
}

/** An API key as its owner may see it. */
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

/** A key that nobody has stored yet. */
export interface NewApiKey {
  keyId: string;
  apiKey: string;
}

/** Makes up a key; it is good for nothing until it is created. */
export function newApiKey(): NewApiKey {
  return { keyId: newId('key'), apiKey: makeApiKey() };
}

/** What a presented key turned out to be. */
export type KeyCheck =
  | { outcome: 'valid'; keyId: string; account: AccountRecord }
  | { outcome: 'malformed' | 'unknown' | 'inactive' | 'suspended' };

/**
 * Makes API keys and checks them. A key is active exactly while its id stands in its account's `activeKeys`, which is
 * changed in one conditional step: so the plan's limit holds in any race, and no crash can leave a miscounted key. A
 * crash while a key is made leaves at most a key that was never active and that nobody was shown.
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
    if (used < MOST_KEYS || (await apiKeys.find(accountId, keyId))) return;
    const message = `expected at most ${MOST_KEYS} API keys, deactivated ones included: delete one first`;
    throw new AppError('key_limit_reached', message, { details: { limit: MOST_KEYS, used } });
  }

  async function requireKey(accountId: string, keyId: string): Promise<ApiKeyRecord> {
    const key = await apiKeys.find(accountId, keyId);
    if (!key) throw new AppError('not_found', `No API key ${keyId}`);
    return key;
  }

  return {
    /**
     * Makes a key. `apiKey` is the only time that it is seen.
     * @param made the key itself, known before, so that a repetition of the same request makes no second one
     * @throws AppError key_limit_reached when the plan's number of active keys is reached
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

    /** A key of an account. @throws AppError not_found */
    async get(accountId: string, keyId: string): Promise<ApiKey> {
      const { activeKeys } = await requireAccount(accountId);
      return toApiKey(await requireKey(accountId, keyId), activeKeys.includes(keyId));
    },

    /** Deletes a key; it answers 401 from then on. @throws AppError not_found */
    async remove(accountId: string, keyId: string): Promise<void> {
      await requireKey(accountId, keyId);
      await accounts.removeActiveKey(accountId, keyId);
      await apiKeys.remove(accountId, keyId);
    },

    /** An account's keys, oldest first. */
    async list(accountId: string): Promise<ApiKey[]> {
      const { activeKeys } = await requireAccount(accountId);
      return (await apiKeys.list(accountId)).map((key) => toApiKey(key, activeKeys.includes(key._id)));
    },

    /** Deactivates a key at once; it answers 403 from then on. */
    async deactivate(accountId: string, keyId: string): Promise<ApiKey> {
      const key = await requireKey(accountId, keyId);
      const removed = await accounts.removeActiveKey(accountId, keyId);
      const disabledAt = removed || !key.disabledAt ? now() : key.disabledAt;
      await apiKeys.setDisabledAt(accountId, keyId, disabledAt);
      return toApiKey({ ...key, disabledAt }, false);
    },

    /** @throws AppError key_limit_reached when the plan's number of active keys is reached */
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

    /** The account that a key belongs to, for the operator's commands; null when there is no such key. */
    async ownerOf(keyId: string): Promise<string | null> {
      return apiKeys.findOwner(keyId);
    },

    /** Checks a presented key against the database as it is now: nothing is cached, so a deactivation counts at once. */
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
    // A full disk must not lock out callers who only want to read.
    await apiKeys.touch(key.accountId, key._id, at, notAfter).catch(() => {});
  }
}

/** The API keys of all accounts. */
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
