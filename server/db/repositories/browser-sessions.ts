import { field, type RecordOf, schemaOf } from '../collection.ts';
import type { Connection } from '../connect.ts';

const browserSessionFields = {
  _id: field.text(),
  /** HMAC-SHA-256 of the token under the pepper, in hex. */
  hash: field.text(),
  accountId: field.text(),
  /** Password version of the account when the session began; absent: 0. A new password ends sessions of earlier versions. */
  passwordVersion: field.optional(field.number()),
  createdAt: field.date(),
  /** Accurate to a minute. */
  lastSeenAt: field.date(),
  /** Expiry, extended by each use. */
  expiresAt: field.date(),
  /** Latest expiry, however often it is used. */
  endsAt: field.date(),
  /** Kind of the cookie it was opened with, the only one it is accepted from; absent: not `local`. */
  cookie: field.optional(field.text<'secure' | 'plain' | 'local'>()),
  /** Network address of the log-in. */
  address: field.withDefault(field.text(), ''),
  /** Time of the last confirmation with the password; absent: none. */
  confirmedAt: field.optional(field.date()),
  userAgent: field.withDefault(field.text(), ''),
};

/** A browser session as stored. The cookie's token is not stored. */
export type BrowserSessionRecord = RecordOf<typeof browserSessionFields>;

/** A TTL index removes expired records. */
const browserSessionSchema = schemaOf('logins', browserSessionFields)
  .index({ hash: 1 }, { unique: true })
  .index({ accountId: 1 })
  .index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

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
