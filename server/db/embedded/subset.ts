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
  queryOperators: '$eq $ne $gt $gte $lt $lte $in $nin $exists $type $regex $options $elemMatch $and $or $comment',
  updateOperators: '$set $unset $setOnInsert $inc $min $max $push $pull $pullAll',
  pushModifiers: '$each',
  arrayUpdates: '$',
  indexes: 'ascending and descending, compound, multikey; unique sparse partialFilterExpression expireAfterSeconds',
  projections: 'inclusion or exclusion of fields, also dotted',
  stages:
    '$match $sort $group $project $addFields $set $unset $unwind $limit $skip $count $replaceRoot $replaceWith $sortByCount',
} as const;
