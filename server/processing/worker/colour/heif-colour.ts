import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { type Box, readBoxes } from '../containers/iso-boxes.ts';
import { type CodePoints, type ColourSignal, signalOfHeif } from './colour-signal.ts';

/** Colour properties of an AVIF or HEIC. */
export interface HeifColour {
  /** Code points of the picture; null: none, or sRGB. */
  signal: ColourSignal | null;
  /** True if the colours are multiplied by alpha. */
  premultiplied: boolean;
}

const NOTHING: HeifColour = { signal: null, premultiplied: false };
/** Properties of real files have a few kilobytes, their profiles at most some hundred. */
const MOST_BYTES = 4_000_000;

/** Reads the code points of the primary picture of an AVIF or HEIC and whether its alpha is premultiplied (ISO 23008-12). */
export function readHeifColour(source: string | Buffer): HeifColour {
  const file = withFileBytes(source, readMeta);
  if (!file) return NOTHING;
  try {
    const boxes = readBoxes(file, 4, file.length);
    const one = (type: string) => boxes.find((box) => box.type === type);
    const [primary, properties, references] = [one('pitm'), one('iprp'), one('iref')];
    if (!primary || !properties) return NOTHING;
    const item = file.readUIntBE(primary.start + 4, file[primary.start] === 0 ? 2 : 4);
    const points = codePointsOf(file, properties, item);
    return {
      signal: points ? signalOfHeif(points) : null,
      premultiplied: references !== undefined && isPremultiplied(file, references, item),
    };
  } catch {
    return NOTHING;
  }
}

/** Returns true for an AVIF or HEIC with the samples of an animation. */
export function isHeifSequence(source: string | Buffer): boolean {
  return withFileBytes(source, (bytes) => findBox(bytes, 'moov')) !== null;
}

/** Returns the content of the first `meta` box. */
function readMeta(bytes: FileBytes): Buffer | null {
  const place = findBox(bytes, 'meta');
  return place && place.length <= MOST_BYTES ? bytes.read(place.start, place.length) : null;
}

/** Finds the content of a box at the top level. */
function findBox({ size, read }: FileBytes, type: string): { start: number; length: number } | null {
  for (let at = 0; at + 8 <= size; ) {
    const head = read(at, 16);
    if (head.length < 8) return null;
    const short = head.readUInt32BE(0);
    const length =
      short === 0 ? size - at : short === 1 && head.length === 16 ? Number(head.readBigUInt64BE(8)) : short;
    if (length < 8) return null;
    const from = short === 1 ? 16 : 8;
    if (head.toString('latin1', 4, 8) === type) return { start: at + from, length: length - from };
    at += length;
  }
  return null;
}

function codePointsOf(file: Buffer, properties: Box, item: number): CodePoints | undefined {
  const parts = readBoxes(file, properties.start, properties.end);
  const container = parts.find(({ type }) => type === 'ipco');
  if (!container) return undefined;
  const known = readBoxes(file, container.start, container.end);
  const used = parts.filter(({ type }) => type === 'ipma').flatMap((box) => associated(file, box, item));
  for (const index of used) {
    const box = known[index - 1];
    if (box?.type !== 'colr' || file.toString('latin1', box.start, box.start + 4) !== 'nclx') continue;
    return { primaries: file.readUInt16BE(box.start + 4), transfer: file.readUInt16BE(box.start + 6) };
  }
  return undefined;
}

/** Returns the numbers of an item's properties, from 1. */
function associated(file: Buffer, box: Box, item: number): number[] {
  const [version, flags] = [file[box.start] ?? 0, file.readUIntBE(box.start + 1, 3)];
  const [idBytes, indexBytes] = [version === 0 ? 2 : 4, flags & 1 ? 2 : 1];
  let at = box.start + 8;
  for (let entries = file.readUInt32BE(box.start + 4); entries > 0 && at < box.end; entries -= 1) {
    const id = file.readUIntBE(at, idBytes);
    const count = file[at + idBytes] ?? 0;
    at += idBytes + 1;
    const numbers = Array.from({ length: count }, (_, index) => file.readUIntBE(at + index * indexBytes, indexBytes));
    // The highest bit says that a reader must know the property.
    if (id === item) return numbers.map((number) => number & (indexBytes === 2 ? 0x7fff : 0x7f));
    at += count * indexBytes;
  }
  return [];
}

function isPremultiplied(file: Buffer, references: Box, item: number): boolean {
  const idBytes = file[references.start] === 0 ? 2 : 4;
  return readBoxes(file, references.start + 4, references.end).some(
    ({ type, start }) => type === 'prem' && file.readUIntBE(start, idBytes) === item,
  );
}

/** Reads parts of a file, or of bytes in memory. */
export interface FileBytes {
  size: number;
  /** Returns the bytes from a position on; fewer at the end. */
  read(at: number, length: number): Buffer;
}

/** Opens a file for a few small reads. They block, since asynchronous ones of many small parts take 25 times as long. */
export function withFileBytes<T>(source: string | Buffer, use: (bytes: FileBytes) => T): T {
  if (typeof source !== 'string') {
    return use({ size: source.length, read: (at, length) => source.subarray(at, at + length) });
  }
  const handle = openSync(source, 'r');
  try {
    const read = (at: number, length: number) => {
      const buffer = Buffer.alloc(length);
      return buffer.subarray(0, readSync(handle, buffer, 0, length, at));
    };
    return use({ size: fstatSync(handle).size, read });
  } finally {
    closeSync(handle);
  }
}
