import { field, type RecordOf, schemaOf, unlessDuplicate } from '../collection.ts';
import type { Connection } from '../connect.ts';

const counterFields = {
  /** Name of the count, and a hash of the account or address. */
  _id: field.text(),
  n: field.number(),
  /** End of the window; a TTL index removes the record some time later. */
  expiresAt: field.date(),
};

/** A count that all servers share, for a limited time. */
export type CounterRecord = RecordOf<typeof counterFields>;

const counterSchema = schemaOf('counters', counterFields).index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

/** Names of the counters. */
export interface Count {
  id: string;
  amount: number;
  limit: number;
  now: Date;
  /** End of a window that begins with this count. */
  until: Date;
  /** Count with which a window begins. @default 0 */
  initial?: number;
}

/** A counter after an attempt to count. */
export interface Counted {
  isTaken: boolean;
  n: number;
  /** End of the window. */
  expiresAt: Date;
}

/** Attempts to count while windows begin and end. */
const ATTEMPTS = 5;

/** Creates the repository of counts that all servers of a database share. */
export function createCounterRepository(connection: Connection) {
  const model = connection.model<CounterRecord>('Counter', counterSchema);
  return {
    /**
     * Adds to a count unless that exceeded its limit. A window begins with the first count and has a fixed end.
     * @throws Error if windows begin and end faster than they can be counted in
     */
    async take({ id, amount, limit, now, until, initial = 0 }: Count): Promise<Counted> {
      for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
        const more = { _id: id, expiresAt: { $gt: now }, n: { $lte: limit - amount } };
        const grown = await model.findOneAndUpdate(more, { $inc: { n: amount } }, { returnDocument: 'after' }).lean();
        if (grown) return { isTaken: true, n: grown.n, expiresAt: grown.expiresAt };
        if (initial + amount <= limit) {
          const over = { _id: id, expiresAt: { $lte: now } };
          const first = { $set: { n: initial + amount, expiresAt: until } };
          const begun = await unlessDuplicate(model.updateOne(over, first, { upsert: true }), null);
          if (begun) return { isTaken: true, n: initial + amount, expiresAt: until };
        }
        const full = await model.findOne({ _id: id, expiresAt: { $gt: now } }).lean();
        if (!full && initial + amount > limit) return { isTaken: false, n: initial, expiresAt: until };
        if (full && full.n > limit - amount) return { isTaken: false, n: full.n, expiresAt: full.expiresAt };
      }
      throw new Error(`the windows of the counter ${id} change too fast`);
    },

    /** Takes back what was counted in the window with this end. */
    async giveBack({ id, amount, expiresAt }: { id: string; amount: number; expiresAt: Date }): Promise<void> {
      await model.updateOne({ _id: id, expiresAt, n: { $gte: amount } }, { $inc: { n: -amount } });
    },

    async forget(id: string): Promise<void> {
      await model.deleteOne({ _id: id });
    },
  };
}

/** Access to counts that all servers share. */
export type CounterRepository = ReturnType<typeof createCounterRepository>;
