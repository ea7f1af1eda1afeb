import type { LinkPurpose } from '#contract';
import type { Connection } from '../connect.ts';
import { type OneTimeLinkRecord, oneTimeLinkSchema } from '../models/one-time-link.ts';

export type { OneTimeLinkRecord };

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
