import { field, type NewRecordOf, plainCollection, type RecordOf, schemaOf, withDefaults } from '../collection.ts';
import type { Connection } from '../connect.ts';

/** Credits that a token has taken for a job. */
export interface TokenChargeRecord {
  jobId: string;
  credits: number;
  refunded: number;
}

const sessionTokenFields = {
  /** HMAC-SHA-256 of the token under the pepper, in hex. */
  _id: field.text(),
  accountId: field.text(),
  /** API key that made the token. */
  keyId: field.text(),
  /** Origin of the pages that may use the token. */
  origin: field.text(),
  /** Null until the token has created its session. */
  sessionId: field.orNull(field.text()),
  maxCredits: field.number(),
  /** Credits of `charges` less refunds. */
  usedCredits: field.withDefault(field.number(), 0),
  charges: field.withDefault(
    field.typed<TokenChargeRecord[]>([{ _id: false, jobId: String, credits: Number, refunded: Number }]),
    [],
  ),
  /** Most images that may be sampled for free. */
  maxSamples: field.number(),
  usedSamples: field.withDefault(field.number(), 0),
  /** Most images that may be described for free. */
  maxAnalyses: field.number(),
  usedAnalyses: field.withDefault(field.number(), 0),
  expiresAt: field.date(),
};

/** A session token as stored, without the token itself. */
export type SessionTokenRecord = RecordOf<typeof sessionTokenFields>;

/** A TTL index removes expired records. */
const sessionTokenSchema = schemaOf('session_tokens', sessionTokenFields)
  .index({ accountId: 1, expiresAt: 1 })
  .index({ sessionId: 1 })
  .index({ 'charges.jobId': 1 }, { sparse: true })
  .index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

/** Count of a token. */
export type TokenCounter = 'usedSamples' | 'usedAnalyses';

/** Creates the repository of session tokens. Look-ups by hash and by job omit the account's id. */
export function createSessionTokenRepository(connection: Connection) {
  const model = connection.model<SessionTokenRecord>('SessionToken', sessionTokenSchema);
  const collection = plainCollection<SessionTokenRecord>(model);
  return {
    async insert(token: NewRecordOf<typeof sessionTokenFields>): Promise<void> {
      await collection.insertOne(withDefaults(sessionTokenFields, token));
    },

    /** Removes a token that was not handed out. */
    async remove(hash: string): Promise<void> {
      await collection.deleteOne({ _id: hash });
    },

    async find(hash: string): Promise<SessionTokenRecord | null> {
      return collection.findOne({ _id: hash });
    },

    async countLive(accountId: string, now: Date): Promise<number> {
      return collection.countDocuments({ accountId, expiresAt: { $gt: now } });
    },

    /** Returns the earliest expiry of the account's live tokens. */
    async nextExpiry(accountId: string, now: Date): Promise<Date | null> {
      const [first] = await collection
        .find({ accountId, expiresAt: { $gt: now } })
        .sort({ expiresAt: 1 })
        .limit(1)
        .toArray();
      return first?.expiresAt ?? null;
    },

    /** Changes the session of a token, if it is `from`. @returns false if it is another one */
    async rebind(hash: string, from: string | null, to: string | null): Promise<boolean> {
      return (
        (await collection.updateOne({ _id: hash, sessionId: from }, { $set: { sessionId: to } })).matchedCount === 1
      );
    },

    /** Takes credits for a job, once per job, if `maxCredits` has room for them. */
    async take({ _id, maxCredits }: SessionTokenRecord, jobId: string, credits: number): Promise<boolean> {
      const room = { usedCredits: { $lte: maxCredits - credits }, 'charges.jobId': { $ne: jobId } };
      const change = { $inc: { usedCredits: credits }, $push: { charges: { jobId, credits, refunded: 0 } } };
      return (await collection.updateOne({ _id, ...room }, change)).matchedCount === 1;
    },

    /** Gives back credits of a job, once per job. */
    async giveBack(jobId: string, credits: number): Promise<void> {
      await collection.updateOne(
        { charges: { $elemMatch: { jobId, refunded: 0 } } },
        { $inc: { usedCredits: -credits }, $set: { 'charges.$.refunded': credits } },
      );
    },

    /** Removes what {@link take} has stored for a job. */
    async untake(hash: string, jobId: string, credits: number): Promise<void> {
      await collection.updateOne(
        { _id: hash, 'charges.jobId': jobId },
        { $inc: { usedCredits: -credits }, $pull: { charges: { jobId } } },
      );
    },

    ...imageCounts(collection),

    async removeOfSession(sessionId: string): Promise<void> {
      await collection.deleteMany({ sessionId });
    },

    async removeOfAccount(accountId: string): Promise<void> {
      await collection.deleteMany({ accountId });
    },
  };
}

/** Counts the images that tokens sample or have described. */
function imageCounts(collection: ReturnType<typeof plainCollection<SessionTokenRecord>>) {
  return {
    /** Counts images of a token, unless that exceeded `limit`. */
    async countImages({ _id }: Pick<SessionTokenRecord, '_id'>, counter: TokenCounter, images: number, limit: number) {
      const room = { [counter]: { $lte: limit - images } };
      return (await collection.updateOne({ _id, ...room }, { $inc: { [counter]: images } })).matchedCount === 1;
    },

    /** Takes back what {@link countImages} has counted. */
    async uncountImages(hash: string, counter: TokenCounter, images: number): Promise<void> {
      await collection.updateOne({ _id: hash }, { $inc: { [counter]: -images } });
    },

    /** Counts a sample of the token that has paid for a job, also above its limit; without effect for jobs of keys. */
    async countSampleOf(jobId: string): Promise<void> {
      await collection.updateOne({ 'charges.jobId': jobId }, { $inc: { usedSamples: 1 } });
    },
  };
}

/** Access to stored session tokens. */
export type SessionTokenRepository = ReturnType<typeof createSessionTokenRepository>;
