import { Schema } from 'mongoose';
import type { LogAction, LogChange } from '#contract';

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

/** An entry of the mail outbox: kind and recipient, without text or secrets. Stored in `notices`. */
export interface MailRecord {
  /** `<kind>:<email>` or `<kind>:<account>:<email>`, so that repeated requests send one mail; random for `operator-change`. */
  _id: string;
  kind: MailKind;
  email: string;
  /** The account if it is known; else it is found by the email. */
  accountId: string | null;
  /** Only of `operator-change`. */
  operatorChange?: OperatorChange;
  /** Distinguishes repeated orders of the same mail. */
  token: string;
  /** Earliest time of the next attempt. */
  dueAt: Date;
  attempts: number;
  /** Null until it was sent. */
  sentAt: Date | null;
  expiresAt: Date;
}

/** Schema of {@link MailRecord}; a TTL index removes expired records. */
export const mailSchema = new Schema<MailRecord>(
  {
    _id: { type: String, required: true },
    kind: { type: String, required: true },
    email: { type: String, required: true },
    accountId: { type: String, default: null },
    operatorChange: { type: Schema.Types.Mixed },
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
