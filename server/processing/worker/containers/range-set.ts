interface Range {
  start: number;
  /** Exclusive. */
  end: number;
}

/** Most ranges: more than the strips of any real file, sorted in a fraction of a second. */
const MAX_RANGES = 500_000;

/** Byte ranges of one file. */
export class RangeSet {
  readonly #size: number;
  readonly #ranges: Range[] = [];

  constructor(size: number) {
    this.#size = size;
  }

  /** @throws RangeError if a range exceeds the file, or there are too many */
  add(start: number, end: number): void {
    if (this.#ranges.length >= MAX_RANGES || !(start >= 0 && start <= end && end <= this.#size))
      throw new RangeError('range');
    this.#ranges.push({ start, end });
  }

  /** Returns the ranges in order; adjacent ones are merged. */
  merged(): Range[] {
    const merged: Range[] = [];
    for (const { start, end } of [...this.#ranges].sort((a, b) => a.start - b.start)) {
      const last = merged.at(-1);
      if (last && start <= last.end) last.end = Math.max(last.end, end);
      else merged.push({ start, end });
    }
    return merged;
  }

  /** Returns true if a byte is in both sets. */
  overlaps(other: RangeSet): boolean {
    const theirs = other.merged();
    let index = 0;
    return this.merged().some(({ start, end }) => {
      while (index < theirs.length && (theirs[index]?.end ?? 0) <= start) index += 1;
      return (theirs[index]?.start ?? Number.POSITIVE_INFINITY) < end;
    });
  }
}
