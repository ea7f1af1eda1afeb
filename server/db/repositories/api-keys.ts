import type { Model, mongo } from 'mongoose';
import {
  field,
  type NewRecordOf,
  plainCollection,
  type RecordOf,
  schemaOf,
  unlessDuplicate,
  withDefaults,
} from '../collection.ts';
import type { Connection } from '../connect.ts';

const apiKeyFields = {
  _id: field.text(),
  accountId: field.text(),
  name: field.text(),
  /** HMAC-SHA-256 of the key under the pepper, in hex. */
  hash: field.text(),
  last4: field.text(),
  createdAt: field.date(),
  /** Accurate to a minute. */
  lastUsedAt: field.orNull(field.date()),
  /** Time of the last deactivation; null while it is active. */
  disabledAt: field.orNull(field.date()),
};

/** An API key as stored, without the key itself. The account's `activeKeys` lists the active ones. */
export type ApiKeyRecord = RecordOf<typeof apiKeyFields>;

const apiKeySchema = schemaOf('api_keys', apiKeyFields)
  .index({ hash: 1 }, { unique: true })
  .index({ accountId: 1, createdAt: 1 });

/** Creates the repository of API keys. Only look-ups by hash and by the operator omit the account's id. */
export function createApiKeyRepository(connection: Connection) {
  const model = connection.model<ApiKeyRecord>('ApiKey', apiKeySchema);
  const collection = plainCollection<ApiKeyRecord>(model);
  return {
    ...keyLookups(model, collection),
    ...keyChanges(model, collection),
  };
}

/** Access to stored API keys. */
export type ApiKeyRepository = ReturnType<typeof createApiKeyRepository>;

/** Finds keys. */
function keyLookups(model: Model<ApiKeyRecord>, collection: mongo.Collection<ApiKeyRecord>) {
  return {
    async findByHash(hash: string): Promise<ApiKeyRecord | null> {
      return collection.findOne({ hash });
    },

    async find(accountId: string, keyId: string): Promise<ApiKeyRecord | null> {
      return model.findOne({ _id: keyId, accountId }).lean();
    },

    /** Finds the account of a key, for the operator's commands; null if there is no such key. */
    async findOwner(keyId: string): Promise<string | null> {
      const key = await model.findOne({ _id: keyId }).select({ accountId: 1 }).lean();
      return key?.accountId ?? null;
    },

    /** Lists an account's keys, oldest first. */
    async list(accountId: string): Promise<ApiKeyRecord[]> {
      return model.find({ accountId }).sort({ createdAt: 1, _id: 1 }).lean();
    },

    async countOf(accountId: string): Promise<number> {
      return model.countDocuments({ accountId });
    },
  };
}

/** Creates, changes and removes keys. */
function keyChanges(model: Model<ApiKeyRecord>, collection: mongo.Collection<ApiKeyRecord>) {
  return {
    /** Inserts a key; an existing equal one is left unchanged. */
    async insert(key: NewRecordOf<typeof apiKeyFields>): Promise<void> {
      const inserted = model.collection.insertOne(withDefaults(apiKeyFields, key) as never);
      if (await unlessDuplicate(inserted, null)) return;
      if (!(await collection.findOne({ _id: key._id, hash: key.hash })))
        throw new Error(`another key has the id ${key._id}`);
    },

    /** Records a use, unless one was recorded between `notAfter` and now. */
    async touch(accountId: string, keyId: string, now: Date, notAfter: Date): Promise<void> {
      const others = [null, { $lte: notAfter }, { $gt: now }];
      await model.updateOne(
        { _id: keyId, accountId, $or: others.map((lastUsedAt) => ({ lastUsedAt })) },
        { $set: { lastUsedAt: now } },
      );
    },

    async setDisabledAt(accountId: string, keyId: string, disabledAt: Date | null): Promise<void> {
      await model.updateOne({ _id: keyId, accountId }, { $set: { disabledAt } });
    },

    async rename(accountId: string, keyId: string, name: string): Promise<boolean> {
      const updated = await model.updateOne({ _id: keyId, accountId }, { $set: { name } });
      return updated.matchedCount === 1;
    },

    /** Removes a key; false if there is no such key. */
    async remove(accountId: string, keyId: string): Promise<boolean> {
      return (await model.deleteOne({ _id: keyId, accountId })).deletedCount === 1;
    },

    async removeOfAccount(accountId: string): Promise<void> {
      await model.deleteMany({ accountId });
    },
  };
}
