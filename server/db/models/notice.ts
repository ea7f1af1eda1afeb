import { Schema } from 'mongoose';

/** What mails are about. */
export type NoticeKind = 'sign-up' | 'reset' | 'email-change' | 'invitation' | 'password-changed' | 'email-changed';

/** A mail that is to be written: what it is about and to whom, without its text and without any secret. */
export interface NoticeRecord {
  /** `<kind>:<email>` or `<kind>:<account>:<email>`, so that a request that is repeated makes one mail. */
  _id: string;
  kind: NoticeKind;
  email: string;
  /** The account that it is about, where that is known; else it is looked for by the email. */
  accountId: string | null;
  /** Tells an order of the same notice from the next. */
  token: string;
  /** Before that nobody works on it. */
  dueAt: Date;
  attempts: number;
  /** Null while it waits. */
  sentAt: Date | null;
  expiresAt: Date;
}

/** Schema of {@link NoticeRecord}; records end by themselves. */
export const noticeSchema = new Schema<NoticeRecord>(
  {
    _id: { type: String, required: true },
    kind: { type: String, required: true },
    email: { type: String, required: true },
    accountId: { type: String, default: null },
    token: { type: String, required: true },
    dueAt: { type: Date, required: true },
    attempts: { type: Number, required: true },
    sentAt: { type: Date, default: null },
    expiresAt: { type: Date, required: true },
  },
  { collection: 'notices', versionKey: false },
)
  .index({ sentAt: 1, dueAt: 1 })
  .index({ email: 1 })
  .index({ accountId: 1 })
  .index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
