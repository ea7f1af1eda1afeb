import type { Model } from 'mongoose';
import type { LogAction, LogChange } from '#contract';
import { field, type RecordOf, schemaOf, unlessDuplicate } from '../collection.ts';
import type { Connection } from '../connect.ts';

/** Kinds of mails. */
export type MailKind =
  | 'sign-up'
  | 'reset'
  | 'email-change'
  | 'invitation'
  | 'password-changed'
  | 'email-changed'
  | 'operator-change';

/** An operator's action that a mail reports; contains no secrets. */
export interface OperatorChange {
  action: LogAction;
  change: LogChange;
}

const mailFields = {
  /** `<kind>:<email>` or `<kind>:<account>:<email>`, so that repeated requests send one mail; random for `operator-change`. */
  _id: field.text(),
  kind: field.text<MailKind>(),
  email: field.text(),
  /** The account if it is known; else it is found by the email. */
  accountId: field.orNull(field.text()),
  /** Only of `operator-change`. */
  operatorChange: field.optional(field.mixed<OperatorChange>()),
  /** Distinguishes repeated orders of the same mail. */
  token: field.text(),
  /** Earliest time of the next attempt. */
  dueAt: field.date(),
  attempts: field.number(),
  /** Null until it was sent. */
  sentAt: field.orNull(field.date()),
  expiresAt: field.date(),
};

/** An entry of the mail outbox: kind and recipient, without text or secrets. Stored in `notices`. */
export type MailRecord = RecordOf<typeof mailFields>;

/** A TTL index removes expired records. */
const mailSchema = schemaOf('notices', mailFields)
  .index({ sentAt: 1, dueAt: 1 })
  .index({ email: 1 })
  .index({ accountId: 1 })
  .index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

/** Creates the repository of the mail outbox. */
export function createMailRepository(connection: Connection) {
  const model = connection.model<MailRecord>('Notice', mailSchema);
  return {
    ...outboxDelivery(model),
    ...outboxRemoval(model),
  };
}

/** Access to the mail outbox. */
export type MailRepository = ReturnType<typeof createMailRepository>;

/** Adds mails and hands them out for sending. */
function outboxDelivery(model: Model<MailRecord>) {
  return {
    /**
     * Adds a mail to the outbox; replaces one that was sent before `sentBy` or, after a clock change, later than `now`.
     * False if one is unsent or was sent since.
     */
    async put(mail: MailRecord, sentBy: Date, now: Date): Promise<boolean> {
      const { _id, ...fields } = mail;
      const earlier = [{ sentAt: { $lte: sentBy } }, { sentAt: { $gt: now } }];
      const written = model.updateOne({ _id, $or: earlier }, { $set: fields }, { upsert: true });
      // False: the upsert conflicted with the existing one.
      return unlessDuplicate(
        written.then(() => true),
        false,
      );
    },

    /**
     * Claims one due mail for `leaseMs` milliseconds; null if none is due.
     * @param longestMs longest delay of a mail; one due even later was postponed before the clock was set back
     */
    async claim(now: Date, leaseMs: number, longestMs: number): Promise<MailRecord | null> {
      const lease = { $set: { dueAt: new Date(now.getTime() + leaseMs) }, $inc: { attempts: 1 } };
      for (const dueAt of [{ $lte: now }, { $gt: new Date(now.getTime() + longestMs) }]) {
        const options = { returnDocument: 'after', sort: { dueAt: 1 } } as const;
        const claimed = await model.findOneAndUpdate({ sentAt: null, dueAt }, lease, options).lean();
        if (claimed) return claimed;
      }
      return null;
    },

    /** Counts the mails that were not sent, and those of them that failed at least once. */
    async unsent(now: Date): Promise<{ waiting: number; retried: number }> {
      const wanted = { sentAt: null, expiresAt: { $gt: now } };
      const [waiting, retried] = await Promise.all([
        model.countDocuments(wanted),
        model.countDocuments({ ...wanted, attempts: { $gt: 0 } }),
      ]);
      return { waiting, retried };
    },

    /** Marks a mail as sent, and sets when its entry expires. */
    async finish({ _id, token }: MailRecord, sentAt: Date, expiresAt: Date): Promise<void> {
      await model.updateOne({ _id, token }, { $set: { sentAt, expiresAt } });
    },

    /** Postpones a mail. */
    async postpone({ _id, token }: MailRecord, dueAt: Date): Promise<void> {
      await model.updateOne({ _id, token, sentAt: null }, { $set: { dueAt } });
    },

    /** Tests if a mail is unchanged since it was claimed. */
    async isWanted({ _id, token }: MailRecord): Promise<boolean> {
      return (await model.countDocuments({ _id, token })) === 1;
    },
  };
}

/** Removes mails. */
function outboxRemoval(model: Model<MailRecord>) {
  return {
    /** Removes mails of some kinds, of an account and of its email without an account. */
    async withdraw({ accountId, email }: { accountId: string | null; email: string }, kinds: MailKind[]) {
      const kind = { $in: kinds };
      if (accountId !== null) await model.deleteMany({ accountId, kind });
      await model.deleteMany({ email, accountId: null, kind });
    },

    async remove({ _id, token }: MailRecord): Promise<void> {
      await model.deleteOne({ _id, token });
    },

    /** Removes all mails to an email or about an account. */
    async removeOf(email: string, accountId: string): Promise<void> {
      await model.deleteMany({ $or: [{ email }, { accountId }] });
    },
  };
}
