import type { LogAction, LogChange } from '#contract';
import { field, type RecordOf, schemaOf, unlessDuplicate } from '../collection.ts';
import type { Connection } from '../connect.ts';

const operatorLogFields = {
  /** Sorts by time. */
  _id: field.text(),
  at: field.date(),
  /** Null for the command line. */
  actorId: field.orNull(field.text()),
  /** Email address of an operator at that time, or `command line`; null for users, whose address is looked up. */
  actorName: field.orNull(field.text()),
  action: field.text<LogAction>(),
  /** Account concerned; its email address is not stored. */
  target: field.orNull(field.text()),
  change: field.mixed<LogChange>(),
  /** Network address of the client, or ''. */
  address: field.withDefault(field.text(), ''),
};

/** A line of the operator log as stored. Lines are append-only and kept without limit. */
export type OperatorLogRecord = RecordOf<typeof operatorLogFields>;

const operatorLogSchema = schemaOf('operator_log', operatorLogFields)
  .index({ action: 1, _id: -1 })
  .index({ actorId: 1 })
  .index({ target: 1 });

/** Selects lines of the operator log. */
export interface LogSelection {
  /** Account that acted or was concerned, or the name of the actor. */
  account?: { id: string | null; name: string } | undefined;
  action?: LogAction | undefined;
  from?: Date | undefined;
  /** Exclusive. */
  before?: Date | undefined;
}

/** Creates the repository of the operator log. It adds and reads lines, and can neither change nor remove one. */
export function createOperatorLogRepository(connection: Connection) {
  const model = connection.model<OperatorLogRecord>('OperatorLogLine', operatorLogSchema);
  return {
    /** Adds a line; a line with an existing id is left unchanged. */
    async append(line: OperatorLogRecord): Promise<void> {
      await unlessDuplicate(model.collection.insertOne(line as never), null);
    },

    /** Lists lines, newest first, after `cursor` (the id of a line). */
    async page(limit: number, selection: LogSelection = {}, cursor?: string): Promise<OperatorLogRecord[]> {
      const { account, action, from, before } = selection;
      const at = { ...(from && { $gte: from }), ...(before && { $lt: before }) };
      const named = account && [
        { actorName: account.name },
        ...(account.id === null ? [] : [{ actorId: account.id }, { target: account.id }]),
      ];
      return model
        .find({
          ...(cursor === undefined ? {} : { _id: { $lt: cursor } }),
          ...(action && { action }),
          ...((from || before) && { at }),
          ...(named && { $or: named }),
        })
        .sort({ _id: -1 })
        .limit(limit)
        .lean();
    },
  };
}

/** Access to the stored operator log. */
export type OperatorLogRepository = ReturnType<typeof createOperatorLogRepository>;
