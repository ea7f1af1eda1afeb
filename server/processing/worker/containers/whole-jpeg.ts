const EOI = 0xd9;
const SOS = 0xda;
const SOF2 = 0xc2;
/** Coefficients of a block: one of the mean, 63 of detail. */
const COEFFICIENTS = 64;

/**
 * Looks for the end of a JPEG (ITU-T T.81, annex B).
 * @returns `ended` with its end marker; `unended` if the file stops inside or behind the last scan that its frame needs; else `broken`
 */
export function findJpegEnd(file: Buffer): 'ended' | 'unended' | 'broken' {
  const missing = new Missing();
  for (let at = 2; at + 4 <= file.length; ) {
    if (file[at] !== 0xff) return 'broken';
    const marker = file[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === EOI) return 'ended';
    const end = at + 2 + file.readUInt16BE(at + 2);
    if (end > file.length) return 'broken';
    if (isFrame(marker)) missing.frame(file, at, marker === SOF2);
    if (marker !== SOS) {
      at = end;
      continue;
    }
    missing.scan(file, at);
    const next = endOfScan(file, end);
    if (next === null) return missing.none ? 'unended' : 'broken';
    at = next;
  }
  return file[file.length - 2] === 0xff && file[file.length - 1] === EOI ? 'ended' : 'broken';
}

/** Finds the next marker after entropy-coded data, other than stuffed zeros, restart markers and fill bytes; null at the end of the file. */
export function endOfScan(file: Buffer, from: number): number | null {
  let at = from;
  for (;;) {
    at = file.indexOf(0xff, at);
    if (at < 0 || at + 1 >= file.length) return null;
    const marker = file[at + 1] ?? 0;
    if (marker === 0xff) at += 1;
    else if (marker === 0 || (marker >= 0xd0 && marker <= 0xd7)) at += 2;
    else return at;
  }
}

/** Start-of-frame markers: C0 to CF but for those of tables (C4, C8, CC). */
function isFrame(marker: number): boolean {
  return marker === 0xc0 || (marker > 0xc0 && marker <= 0xcf && marker % 4 !== 0);
}

/** Missing coefficients by component: their last bit was in no scan so far. */
class Missing {
  readonly #components = new Map<number, Set<number>>();
  #progressive = false;

  get none(): boolean {
    return this.#components.size > 0 && [...this.#components.values()].every(({ size }) => size === 0);
  }

  frame(file: Buffer, at: number, progressive: boolean): void {
    this.#progressive = progressive;
    const count = file[at + 9] ?? 0;
    for (let index = 0; index < count; index += 1) {
      this.#components.set(file[at + 10 + index * 3] ?? 0, new Set(Array(COEFFICIENTS).keys()));
    }
  }

  scan(file: Buffer, at: number): void {
    const count = file[at + 4] ?? 0;
    const [first = 0, last = 0, bits = 0] = file.subarray(at + 5 + count * 2);
    const isLastBit = !this.#progressive || (bits & 15) === 0;
    const [from, to] = this.#progressive ? [first, last] : [0, COEFFICIENTS - 1];
    for (let index = 0; index < count && isLastBit; index += 1) {
      const component = this.#components.get(file[at + 5 + index * 2] ?? 0);
      for (let coefficient = from; coefficient <= to; coefficient += 1) component?.delete(coefficient);
    }
  }
}
