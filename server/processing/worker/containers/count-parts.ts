import type { InputFormat } from '#contract/constants';
import { endOfSubBlocks, lengthOfColourTable } from './gif.ts';
import { readBoxes, TooManyBoxes } from './iso-boxes.ts';
import { endOfScan } from './jpeg.ts';

/**
 * Most segments, chunks, blocks or boxes of a file: eight times those of a PNG of 64 MB as encoders write it. Millions of empty ones, a few
 * bytes each, took readers of a whole file all of the memory of their process.
 */
export const MOST_PARTS = 65_536;

/** Returns false if a file has more than {@link MOST_PARTS} segments, chunks, blocks or boxes. Does not judge their content. */
export function hasFewParts(format: InputFormat, file: Buffer): boolean {
  try {
    if (format === 'avif' || format === 'heic') return haveFewBoxes(file);
    const next = NEXT[format];
    if (!next) return true;
    let at: number | null = next.first(file);
    for (let parts = 0; at !== null && at < file.length; parts += 1) {
      if (parts === MOST_PARTS) return false;
      at = next.after(file, at);
    }
    return true;
  } catch {
    // Cut off: other readers refuse it, or do without.
    return true;
  }
}

/** Finds the first part of a file and the one after another; null behind the last. @throws RangeError behind the end of the file */
interface Walk {
  first(file: Buffer): number;
  after(file: Buffer, at: number): number | null;
}

const NEXT: Partial<Record<InputFormat, Walk>> = {
  jpeg: { first: () => 2, after: afterSegment },
  png: { first: () => 8, after: (file, at) => at + 12 + file.readUInt32BE(at) },
  webp: { first: () => 12, after: (file, at) => at + 8 + evenly(file.readUInt32LE(at + 4)) },
  gif: { first: (file) => 13 + lengthOfColourTable(file[10] ?? 0), after: afterBlock },
};

const evenly = (size: number) => size + (size % 2);

const SOS = 0xda;
const EOI = 0xd9;

function afterSegment(file: Buffer, at: number): number | null {
  let from = at;
  // A marker may follow any number of fill bytes.
  while (file[from] === 0xff && file[from + 1] === 0xff) from += 1;
  const marker = file[from + 1] ?? EOI;
  if (file[from] !== 0xff || marker === EOI) return null;
  const end = from + 2 + file.readUInt16BE(from + 2);
  return marker === SOS ? endOfScan(file, end) : end;
}

const EXTENSION = 0x21;
const IMAGE = 0x2c;

function afterBlock(file: Buffer, at: number): number | null {
  if (file[at] === EXTENSION) return endOfSubBlocks(file, at + 2);
  return file[at] === IMAGE ? endOfSubBlocks(file, at + 11 + lengthOfColourTable(file[at + 9] ?? 0)) : null;
}

/** Reads the boxes of all levels that are read later. */
function haveFewBoxes(file: Buffer): boolean {
  try {
    const meta = readBoxes(file, 0, file.length).find(({ type }) => type === 'meta');
    const inMeta = meta ? readBoxes(file, meta.start + 4, meta.end) : [];
    const properties = inMeta.find(({ type }) => type === 'iprp');
    const containers = properties ? readBoxes(file, properties.start, properties.end) : [];
    for (const { start, end } of containers.filter(({ type }) => type === 'ipco')) readBoxes(file, start, end);
    return true;
  } catch (error) {
    return !(error instanceof TooManyBoxes);
  }
}
