import { field, insertNew, type RecordOf, schemaOf } from '../collection.ts';
import type { Connection } from '../connect.ts';

const choreFields = {
  /** Name of the work. */
  _id: field.text(),
  /** Process that does it; null: done, and not due before `until`. */
  owner: field.orNull(field.text()),
  until: field.date(),
};

/** The right to do periodic work, which one process has at a time. */
export type ChoreRecord = RecordOf<typeof choreFields>;

const choreSchema = schemaOf('chores', choreFields);

/** A claim of a chore by a process until a moment. */
export interface ChoreClaim {
  name: string;
  owner: string;
  until: Date;
}

/** Creates the repository of periodic work that one process does at a time. */
export function createChoreRepository(connection: Connection) {
  const model = connection.model<ChoreRecord>('Chore', choreSchema);
  return {
    /** Takes a free chore, or one that the owner has already; false if another has it or has just done it. */
    async claim({ name, owner, until }: ChoreClaim, now: Date): Promise<boolean> {
      const free = { _id: name, $or: [{ until: { $lte: now } }, { owner }] };
      // An update alone succeeds on a full disk, where removals need their claim; there is nothing to update only once.
      if ((await model.updateOne(free, { $set: { owner, until } })).matchedCount === 1) return true;
      return insertNew(model, { _id: name, owner, until });
    },

    /** Extends a claim; false if it was lost. */
    async renew({ name, owner, until }: ChoreClaim): Promise<boolean> {
      return (await model.updateOne({ _id: name, owner }, { $set: { until } })).matchedCount === 1;
    },

    /** Gives a chore back, for others from `until` on. */
    async release({ name, owner, until }: ChoreClaim): Promise<void> {
      await model.updateOne({ _id: name, owner }, { $set: { owner: null, until } });
    },

    /** Returns those of the chores that a process has at the moment. */
    async running(names: readonly string[], now: Date): Promise<ChoreRecord[]> {
      return model.find({ _id: { $in: names }, owner: { $ne: null }, until: { $gt: now } }).lean();
    },

    /** Frees all chores but this one, when no other process can be doing any. */
    async freeAllBut(name: string): Promise<void> {
      // They stay, so that a claim adds nothing.
      await model.updateMany({ _id: { $ne: name } }, { $set: { owner: null, until: new Date(0) } });
    },
  };
}

/** Access to chores. */
export type ChoreRepository = ReturnType<typeof createChoreRepository>;
