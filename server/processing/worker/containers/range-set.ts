interface Range {
  start: number;
  /** Behind the last byte. */
  end: number;
}

/** More than the strips of any real file; sorting them takes a fraction of a second. */
const MAX_RANGES = 500_000;

/** Byte ranges of one file. */
export class RangeSet {
  readonly #size: number;
  readonly #ranges: Range[] = [];

  constructor(size: number) {
    this.#size = size;
  }

  /** @throws RangeError when a range leaves the file, or there are too many */
  add(start: number, end: number): void {
    if (this.#ranges.length >= MAX_RANGES || !(start >= 0 && start <= end && end <= this.#size))
      throw new RangeError('range');
    this.#ranges.push({ start, end });
  }

  /** The ranges in order, those that touch as one. */
  merged(): Range[] {
    const merged: Range[] = [];
    for (const { start, end } of [...this.#ranges].sort((a, b) => a.start - b.start)) {
      const last = merged.at(-1);
      if (last && start <= last.end) last.end = Math.max(last.end, end);
      else merged.push({ start, end });
    }
    return merged;
  }

  /** True when any byte is in both. */
  overlaps(other: RangeSet): boolean {
    const theirs = other.merged();
    let index = 0;
    return this.merged().some(({ start, end }) => {
      while (index < theirs.length && (theirs[index]?.end ?? 0) <= start) index += 1;
      return (theirs[index]?.start ?? Number.POSITIVE_INFINITY) < end;
    });
  }
}
