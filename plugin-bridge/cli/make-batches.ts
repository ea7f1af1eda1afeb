import type { PlannedSource } from './plan.ts';

/** Files in one upload (specification, "Limits": batches under 100 images are recommended; our service takes 100). */
const MOST_FILES = 100;
/** Bytes in one upload, unless a single file is larger: fits into a minute of a slow line and into memory. */
const MOST_BYTES = 50_000_000;

/** Sources with equal content: uploaded and paid for once. */
export interface Work {
  key: string;
  sources: [PlannedSource, ...PlannedSource[]];
}

/** Puts sources with equal content and settings together. */
export function groupByKey(sources: readonly PlannedSource[]): Work[] {
  const groups = new Map<string, Work>();
  for (const source of sources) {
    const group = groups.get(source.key);
    if (group) group.sources.push(source);
    else groups.set(source.key, { key: source.key, sources: [source] });
  }
  return [...groups.values()];
}

/** Splits work into uploads. */
export function makeBatches(work: readonly Work[]): Work[][] {
  const batches: Work[][] = [];
  let bytes = 0;
  for (const one of work) {
    const { size } = one.sources[0];
    const batch = batches.at(-1);
    if (batch && batch.length < MOST_FILES && bytes + size <= MOST_BYTES) {
      batch.push(one);
      bytes += size;
    } else {
      batches.push([one]);
      bytes = size;
    }
  }
  return batches;
}
