import { encodeBase62, randomBase62 } from './base62.ts';

/** Makes ids of ledger lines: they sort by time, and those of one millisecond by their order in this process. */
export function createLineIds(): (at: Date) => string {
  let last = 0;
  let count = 0;
  return (at) => {
    // Never backwards, so that a refund made right after its charge is always newer, whatever the clock does.
    count = at.getTime() > last ? 0 : count + 1;
    last = Math.max(last, at.getTime());
    return `line_${encodeBase62(last, 8)}${encodeBase62(count, 4)}${randomBase62(10)}`;
  };
}
