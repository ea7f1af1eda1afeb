import { field, insertNew, type RecordOf, schemaOf } from '../collection.ts';
import type { Connection } from '../connect.ts';

/** A finished response, stored to be repeated. */
export interface StoredResponse {
  status: number;
  headers: Record<string, string>;
  body: unknown;
}

const idempotencyRecordFields = {
  /** Hash of account and key. */
  _id: field.text(),
  accountId: field.text(),
  operation: field.text(),
  requestHash: field.text(),
  state: field.text<'running' | 'done'>(),
  /** Owner of the record; changes when another request takes it over. */
  token: field.text(),
  /** Secret id of the work. Absent: stored by an earlier version. */
  workId: field.optional(field.text()),
  /** Id of the job that the request creates, chosen in advance; null for requests without a job. */
  jobId: field.orNull(field.text()),
  startedAt: field.date(),
  expiresAt: field.date(),
  response: field.orNull(field.mixed<StoredResponse>()),
};

/** Record of one `Idempotency-Key` of one account. */
export type IdempotencyRecord = RecordOf<typeof idempotencyRecordFields>;

const idempotencyRecordSchema = schemaOf('idempotency_records', idempotencyRecordFields)
  .index({ expiresAt: 1 }, { expireAfterSeconds: 0 })
  .index({ accountId: 1 });

/** Creates the repository of `Idempotency-Key` records. Their id is derived from the account's id. */
export function createIdempotencyRepository(connection: Connection) {
  const model = connection.model<IdempotencyRecord>('IdempotencyRecord', idempotencyRecordSchema);
  return {
    /** Inserts a record; false if the id exists. */
    insert: (record: IdempotencyRecord): Promise<boolean> => insertNew(model, record),

    async find(id: string): Promise<IdempotencyRecord | null> {
      return model.findOne({ _id: id }).lean();
    },

    /** Transfers a running record to another owner; false if it changed meanwhile. */
    async takeOver(id: string, token: string, newToken: string, startedAt: Date): Promise<boolean> {
      const updated = await model.updateOne(
        { _id: id, token, state: 'running' },
        { $set: { token: newToken, startedAt } },
      );
      return updated.matchedCount === 1;
    },

    /** Stores the response if the record still belongs to this owner. */
    async complete(id: string, token: string, response: StoredResponse): Promise<void> {
      await model.updateOne({ _id: id, token, state: 'running' }, { $set: { state: 'done', response } });
    },

    /** Sets the start of running records, as long as they belong to these owners. */
    async renew(tickets: { id: string; token: string }[], startedAt: Date): Promise<void> {
      const [ids, tokens] = [tickets.map(({ id }) => id), tickets.map(({ token }) => token)];
      const isRunning = { state: 'running' as const, startedAt: { $gt: new Date(0) } };
      await model.updateMany({ _id: { $in: ids }, token: { $in: tokens }, ...isRunning }, { $set: { startedAt } });
    },

    /** Marks a running record of this owner as abandoned. */
    async release(id: string, token: string): Promise<void> {
      await model.updateOne({ _id: id, token, state: 'running' }, { $set: { startedAt: new Date(0) } });
    },

    /** Removes a record of this owner. */
    async remove(id: string, token: string): Promise<void> {
      await model.deleteOne({ _id: id, token });
    },

    async removeOfAccount(accountId: string): Promise<void> {
      await model.deleteMany({ accountId });
    },
  };
}

/** Access to stored idempotency records. */
export type IdempotencyRepository = ReturnType<typeof createIdempotencyRepository>;
