import { Long } from 'bson';
import { type Doc, isDocument } from './bson-codec.ts';
import { CommandError, notSupported } from './errors.ts';

/** Fields every command may carry; the embedded store always writes durably and reads its own writes. */
export const COMMON_FIELDS =
  '$db lsid $clusterTime $readPreference readConcern writeConcern comment maxTimeMS apiVersion apiStrict apiDeprecationErrors';

/**
 * The supported subset: commands with their fields besides the common ones, operators, index options. Anything else
 * fails with "not supported by the embedded store".
 */
export const SUPPORTED = {
  commands: {
    insert: 'documents ordered bypassDocumentValidation',
    find: 'filter sort projection skip limit batchSize singleBatch hint noCursorTimeout allowDiskUse allowPartialResults',
    getMore: 'collection batchSize',
    killCursors: 'cursors',
    update: 'updates ordered bypassDocumentValidation',
    delete: 'deletes ordered',
    findAndModify: 'query sort remove update new fields upsert hint bypassDocumentValidation',
    count: 'query limit skip hint fields',
    aggregate: 'pipeline cursor allowDiskUse hint bypassDocumentValidation',
    createIndexes: 'indexes commitQuorum',
    listIndexes: 'cursor',
    dropIndexes: 'index',
    create: 'autoIndexId',
    drop: '',
    dropDatabase: '',
    listCollections: 'filter nameOnly authorizedCollections cursor',
    hello: 'helloOk client compression backpressure saslSupportedMechs loadBalanced topologyVersion maxAwaitTimeMS',
    ping: '',
    buildInfo: '',
    connectionStatus: 'showPrivileges',
    endSessions: '',
  },
  queryOperators: '$eq $ne $gt $gte $lt $lte $in $nin $exists $regex $options $elemMatch $and $or',
  updateOperators: '$set $unset $setOnInsert $inc $min $max $push $pull',
  pushModifiers: '$each',
  arrayUpdates: '$',
  indexes: 'ascending and descending, compound, multikey; unique sparse partialFilterExpression expireAfterSeconds',
  projections: 'inclusion or exclusion of fields, also dotted',
  stages:
    '$match $sort $group $project $addFields $set $unset $unwind $limit $skip $count $replaceRoot $replaceWith $sortByCount',
} as const;

/** Reads the namespace of a command: database and collection. @throws CommandError 73 */
export function namespaceOf(command: Doc, field: string): string {
  const collection = command[field];
  if (typeof collection !== 'string' || collection === '')
    throw new CommandError(73, `'${field}' needs the name of a collection`);
  return `${command.$db}.${collection}`;
}

/** Reads a document field; empty if it is missing. @throws CommandError 14 */
export function documentField(doc: Doc, field: string): Doc {
  const value = doc[field] ?? {};
  if (!isDocument(value)) throw new CommandError(14, `'${field}' has to be a document`);
  return value;
}

/** Reads a field that is an array of documents or of BSON. @throws CommandError 14 */
export function listField<T extends Doc | Buffer>(doc: Doc, field: string): T[] {
  const value = doc[field];
  if (!Array.isArray(value)) throw new CommandError(14, `'${field}' has to be an array`);
  return value as T[];
}

/** Reads a non-negative integer; undefined if it is missing. @throws CommandError 2 */
export function countField(doc: Doc, field: string): number | undefined {
  const value = doc[field];
  if (value === undefined || value === null) return undefined;
  const count = value instanceof Long ? value.toNumber() : value;
  if (typeof count !== 'number' || !Number.isInteger(count) || count < 0)
    throw new CommandError(2, `'${field}' has to be a whole number, not negative`);
  return count;
}

/** Reads the fields of a sort. @throws CommandError 2 for directions other than 1 and -1 */
export function sortField(doc: Doc, field: string): Doc {
  const sort = documentField(doc, field);
  for (const [path, direction] of Object.entries(sort)) {
    if (isDocument(direction) || path.startsWith('$')) throw notSupported(`this sort by '${path}'`);
    if (direction !== 1 && direction !== -1) throw new CommandError(15975, '$sort key ordering must be 1 or -1');
  }
  return sort;
}

/** Rejects a document with unsupported fields. @throws CommandError 115 */
export function refuseUnknownFields(where: string, doc: Doc, accepted: string[]): void {
  for (const [field, value] of Object.entries(doc))
    if (!accepted.includes(field) && value !== undefined && value !== null)
      throw notSupported(`${where} with '${field}'`);
}
