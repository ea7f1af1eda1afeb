import type { Connection } from '../connect.ts';
import { unlessDuplicate } from '../duplicate-key.ts';
import { type NoticeKind, type NoticeRecord, noticeSchema } from '../models/notice.ts';

export type { NoticeKind, NoticeRecord };

/** Mails that are to be written. */
export function createNoticeRepository(connection: Connection) {
  const model = connection.model<NoticeRecord>('Notice', noticeSchema);
  return {
    /** Writes a notice down, in the place of one that was sent by `sentBy`. False when one waits or is newer. */
    async put(notice: NoticeRecord, sentBy: Date): Promise<boolean> {
      const { _id, ...fields } = notice;
      const written = model.updateOne({ _id, sentAt: { $lte: sentBy } }, { $set: fields }, { upsert: true });
      // False: the upsert met the one that is there.
      return unlessDuplicate(
        written.then(() => true),
        false,
      );
    },

    /** Takes one notice that is due, for `leaseMs` milliseconds; null when there is none. */
    async claim(now: Date, leaseMs: number): Promise<NoticeRecord | null> {
      return model
        .findOneAndUpdate(
          { sentAt: null, dueAt: { $lte: now } },
          { $set: { dueAt: new Date(now.getTime() + leaseMs) }, $inc: { attempts: 1 } },
          { returnDocument: 'after', sort: { dueAt: 1 } },
        )
        .lean();
    },

    /** Notes that a notice was dealt with, and until when that is remembered. */
    async finish({ _id, token }: NoticeRecord, sentAt: Date, expiresAt: Date): Promise<void> {
      await model.updateOne({ _id, token }, { $set: { sentAt, expiresAt } });
    },

    /** Leaves a notice for later. */
    async postpone({ _id, token }: NoticeRecord, dueAt: Date): Promise<void> {
      await model.updateOne({ _id, token, sentAt: null }, { $set: { dueAt } });
    },

    /** Whether a notice is still what it was when it was claimed. */
    async isWanted({ _id, token }: NoticeRecord): Promise<boolean> {
      return (await model.countDocuments({ _id, token })) === 1;
    },

    /** Forgets notices of some kinds, those about an account and those that were ordered for its email alone. */
    async withdraw({ accountId, email }: { accountId: string | null; email: string }, kinds: NoticeKind[]) {
      const kind = { $in: kinds };
      if (accountId !== null) await model.deleteMany({ accountId, kind });
      await model.deleteMany({ email, accountId: null, kind });
    },

    async remove({ _id, token }: NoticeRecord): Promise<void> {
      await model.deleteOne({ _id, token });
    },

    /** Forgets what was or is to be written to an email or about an account. */
    async removeOf(email: string, accountId: string): Promise<void> {
      await model.deleteMany({ $or: [{ email }, { accountId }] });
    },
  };
}

/** Access to stored notices. */
export type NoticeRepository = ReturnType<typeof createNoticeRepository>;
