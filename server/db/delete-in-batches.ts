import type { mongo } from 'mongoose';

/** Records of one command; thousands at once would hold up everything else in the embedded store. */
export const BATCH = 500;
/** Records that one command deletes: deleting takes longer than reading. */
const REMOVED_AT_ONCE = 150;

/** Removes all records that match, in batches, so that other work runs in between. */
export async function deleteInBatches<Record extends { _id: string }>(
  collection: mongo.Collection<Record>,
  filter: mongo.Filter<Record>,
): Promise<void> {
  for (let found = REMOVED_AT_ONCE; found === REMOVED_AT_ONCE; ) {
    const records = await collection.find(filter, { projection: { _id: 1 }, limit: REMOVED_AT_ONCE }).toArray();
    const ids = records.map(({ _id }) => _id);
    if (ids.length > 0) await collection.deleteMany({ _id: { $in: ids } } as mongo.Filter<Record>);
    found = ids.length;
  }
}
