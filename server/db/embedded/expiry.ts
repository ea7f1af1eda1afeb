import { type Catalog, type Index, indexRange } from './catalog.ts';
import { documentKey } from './documents.ts';
import type { Engine } from './engine.ts';
import { encodeValue, typeTag } from './key-encoding.ts';
import { invert } from './paths.ts';
import { FullDiskError, type KeyRange } from './store.ts';

const BATCH = 500;
/** Documents that one write removes on a full disk. */
const FEW = 10;

/** Removes documents that have expired by TTL indexes, until it is stopped. @returns the number removed */
export async function removeExpired(engine: Engine, stops: () => boolean): Promise<number> {
  let removed = 0;
  for (const { ns, name } of expiringIndexes(engine.catalog)) {
    let most = BATCH;
    let count: number;
    do {
      try {
        count = await engine.commits.write(() => removeBatch(engine, { ns, name, most }), true);
      } catch (error) {
        if (!(error instanceof FullDiskError) || most === FEW) throw error;
        count = most = FEW;
        continue;
      }
      removed += count;
    } while (count === most && !stops());
  }
  return removed;
}

function expiringIndexes(catalog: Catalog): { ns: string; name: string }[] {
  return catalog
    .all()
    .flatMap(({ ns, indexes }) =>
      indexes.filter(({ spec }) => spec.expireAfterSeconds !== undefined).map(({ spec }) => ({ ns, name: spec.name })),
    );
}

interface Batch {
  ns: string;
  /** Of the index. */
  name: string;
  most: number;
}

function removeBatch({ store, catalog, documents }: Engine, { ns, name, most }: Batch): number {
  const collection = catalog.find(ns);
  const index = collection?.indexes.find(({ spec }) => spec.name === name);
  if (!collection || !index) return 0;
  const expired = new Map<string, Buffer>();
  for (const { value } of store.scan(expiredRange(index))) {
    expired.set(value.toString('latin1'), value);
    if (expired.size === most) break;
  }
  for (const idKey of expired.values()) {
    const raw = store.get(documentKey(collection, idKey));
    if (raw) documents.remove(collection, { idKey, raw });
  }
  return expired.size;
}

// Dates from the beginning of time to now minus the index's seconds.
function expiredRange(index: Index): KeyRange {
  const { start } = indexRange(index);
  const limit = new Date(Date.now() - (index.spec.expireAfterSeconds ?? 0) * 1000);
  const low = Buffer.from([typeTag(limit)]);
  const high = encodeValue(limit);
  if (index.fields[0]?.direction !== -1)
    return { start: Buffer.concat([start, low]), end: Buffer.concat([start, high]) };
  const end = Buffer.from([(~typeTag(limit) & 0xff) + 1]);
  return { start: Buffer.concat([start, invert(high)]), end: Buffer.concat([start, end]) };
}
