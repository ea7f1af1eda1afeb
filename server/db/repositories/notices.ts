import type { Connection } from '../connect.ts';
import { unlessDuplicate } from '../duplicate-key.ts';
import { type NoticeKind, type NoticeRecord, noticeSchema } from '../models/notice.ts';

export type { NoticeKind, NoticeRecord };

/** Mails that are to be written. */
export function createNoticeRepository(connection: Connection) {
  const model = connection.model<NoticeRecord>('Notice', noticeSchema);
  return {
    /**
     * Writes a notice down, in the place of one that was sent by `sentBy`, or in a time to come. False when one waits or
     * was sent since.
     */
    async put(notice: NoticeRecord, sentBy: Date, now: Date): Promise<boolean> {
      const { _id, ...fields } = notice;
      const earlier = [{ sentAt: { $lte: sentBy } }, { sentAt: { $gt: now } }];
      const written = model.updateOne({ _id, $or: earlier }, { $set: fields }, { upsert: true });
      // False: the upsert met the one that is there.
      return unlessDuplicate(
        written.then(() => true),
        false,
      );
    },

    /**
     * Takes one notice that is due, for `leaseMs` milliseconds; null when there is none.
     * @param longestMs the longest that any is put off; what is to wait for longer was put off before the clock was set back
     */
    async claim(now: Date, leaseMs: number, longestMs: number): Promise<NoticeRecord | null> {
      const lease = { $set: { dueAt: new Date(now.getTime() + leaseMs) }, $inc: { attempts: 1 } };
      for (const dueAt of [{ $lte: now }, { $gt: new Date(now.getTime() + longestMs) }]) {
        const options = { returnDocument: 'after', sort: { dueAt: 1 } } as const;
        const claimed = await model.findOneAndUpdate({ sentAt: null, dueAt }, lease, options).lean();
        if (claimed) return claimed;
      }
      return null;
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
