import type { Connection } from '../connect.ts';
import { type BrowserSessionRecord, browserSessionSchema } from '../models/browser-session.ts';

export type { BrowserSessionRecord };

/** Creates the repository of browser sessions. Only the look-up by hash omits the account's id. */
export function createBrowserSessionRepository(connection: Connection) {
  const model = connection.model<BrowserSessionRecord>('Login', browserSessionSchema);
  return {
    async insert(session: BrowserSessionRecord): Promise<void> {
      await model.collection.insertOne(session as never);
    },

    async findByHash(hash: string): Promise<BrowserSessionRecord | null> {
      return model.findOne({ hash }).lean();
    },

    /** Lists an account's sessions that have not ended. */
    async list(accountId: string, now: Date): Promise<BrowserSessionRecord[]> {
      return model.find({ accountId, expiresAt: { $gt: now } }).lean();
    },

    /** Records a use and extends the expiry. */
    async touch(loginId: string, lastSeenAt: Date, expiresAt: Date): Promise<void> {
      await model.updateOne({ _id: loginId }, { $set: { lastSeenAt, expiresAt } });
    },

    /** Records a confirmation with the password; false if there is no such session. */
    async confirm(accountId: string, loginId: string, confirmedAt: Date): Promise<boolean> {
      return (await model.updateOne({ _id: loginId, accountId }, { $set: { confirmedAt } })).matchedCount === 1;
    },

    /** Removes a session; false if there is no such session. */
    async remove(accountId: string, loginId: string): Promise<boolean> {
      return (await model.deleteOne({ _id: loginId, accountId })).deletedCount === 1;
    },

    /** Removes all sessions of an account, except one if given. @returns how many */
    async removeOfAccount(accountId: string, except?: string): Promise<number> {
      const filter = except === undefined ? { accountId } : { accountId, _id: { $ne: except } };
      return (await model.deleteMany(filter)).deletedCount;
    },
  };
}

/** Access to stored browser sessions. */
export type BrowserSessionRepository = ReturnType<typeof createBrowserSessionRepository>;
