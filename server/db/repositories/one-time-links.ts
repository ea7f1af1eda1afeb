import type { AccountRole, LinkPurpose } from '#contract';
import { field, type RecordOf, schemaOf } from '../collection.ts';
import type { Connection } from '../connect.ts';

const oneTimeLinkFields = {
  /** HMAC-SHA-256 of the token under the pepper, in hex. */
  _id: field.text(),
  purpose: field.text<LinkPurpose>(),
  /** Null for a sign-up, which has no account yet. */
  accountId: field.orNull(field.text()),
  /** The new address of a sign-up or a change of address; else the account's address at that time. */
  email: field.text(),
  /** Role assigned by a claim, or null. */
  role: field.orNull(field.text<AccountRole>()),
  createdAt: field.date(),
  expiresAt: field.date(),
};

/** A one-time link as stored, without its token. */
export type OneTimeLinkRecord = RecordOf<typeof oneTimeLinkFields>;

/** A TTL index removes expired records. */
const oneTimeLinkSchema = schemaOf('one_time_links', oneTimeLinkFields)
  .index({ accountId: 1 })
  .index({ email: 1 })
  .index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

/** Creates the repository of one-time links, by the hash of their token. */
export function createOneTimeLinkRepository(connection: Connection) {
  const model = connection.model<OneTimeLinkRecord>('OneTimeLink', oneTimeLinkSchema);
  return {
    async insert(link: OneTimeLinkRecord): Promise<void> {
      await model.collection.insertOne(link as never);
    },

    async find(hash: string, now: Date): Promise<OneTimeLinkRecord | null> {
      return model.findOne({ _id: hash, expiresAt: { $gt: now } }).lean();
    },

    /** Uses up a link atomically: one of several concurrent callers gets it. */
    async take(hash: string, now: Date): Promise<OneTimeLinkRecord | null> {
      return model.findOneAndDelete({ _id: hash, expiresAt: { $gt: now } }).lean();
    },

    /** Removes links of an account. */
    async removeOfAccount(accountId: string, purposes: LinkPurpose[]): Promise<void> {
      await model.deleteMany({ accountId, purpose: { $in: purposes } });
    },

    /** Removes the sign-up links of an email. */
    async removeSignUps(email: string): Promise<void> {
      await model.deleteMany({ email, purpose: 'sign-up' });
    },
  };
}

/** Access to stored one-time links. */
export type OneTimeLinkRepository = ReturnType<typeof createOneTimeLinkRepository>;
