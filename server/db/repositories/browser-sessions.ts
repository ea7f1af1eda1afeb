import type { Connection } from '../connect.ts';
import { type BrowserSessionRecord, browserSessionSchema } from '../models/browser-session.ts';

export type { BrowserSessionRecord };

/** Log-ins. Only the hash does without the account's id. */
export function createBrowserSessionRepository(connection: Connection) {
  const model = connection.model<BrowserSessionRecord>('Login', browserSessionSchema);
  return {
    async insert(session: BrowserSessionRecord): Promise<void> {
      await model.collection.insertOne(session as never);
    },

    async findByHash(hash: string): Promise<BrowserSessionRecord | null> {
      return model.findOne({ hash }).lean();
    },

    /** An account's log-ins that have not ended. */
    async list(accountId: string, now: Date): Promise<BrowserSessionRecord[]> {
      return model.find({ accountId, expiresAt: { $gt: now } }).lean();
    },

    /** Notes a use and moves the end. */
    async touch(loginId: string, lastSeenAt: Date, expiresAt: Date): Promise<void> {
      await model.updateOne({ _id: loginId }, { $set: { lastSeenAt, expiresAt } });
    },

    /** False when there is no such log-in. */
    async remove(accountId: string, loginId: string): Promise<boolean> {
      return (await model.deleteOne({ _id: loginId, accountId })).deletedCount === 1;
    },

    /** Ends all log-ins of an account, but for one if it is named. @returns how many */
    async removeOfAccount(accountId: string, except?: string): Promise<number> {
      const filter = except === undefined ? { accountId } : { accountId, _id: { $ne: except } };
      return (await model.deleteMany(filter)).deletedCount;
    },
  };
}

/** Access to stored log-ins. */
export type BrowserSessionRepository = ReturnType<typeof createBrowserSessionRepository>;
