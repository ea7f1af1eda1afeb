import type { PlannedSource } from './plan.ts';

/** Most files in one upload (specification, "Limits": fewer than 100 images are recommended; this service accepts 100). */
const MAX_FILES = 100;
/** Most bytes in one upload, unless a single file is larger: a minute on a slow line, and it fits into memory. */
const MAX_BYTES = 50_000_000;

/** Sources with equal content, which are uploaded and paid for once. */
export interface Work {
  key: string;
  sources: [PlannedSource, ...PlannedSource[]];
}

/** Groups sources with equal content and settings. */
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
    if (batch && batch.length < MAX_FILES && bytes + size <= MAX_BYTES) {
      batch.push(one);
      bytes += size;
    } else {
      batches.push([one]);
      bytes = size;
    }
  }
  return batches;
}
