import { RangeSet } from './range-set.ts';

/** Tags that are needed to read the pixels (TIFF 6.0 and its supplements); all others are private or unknown. */
const KEPT_RANGES: [number, number][] = [
  [254, 266], // file type, size, bits, compression, photometric interpretation
  [273, 284], // strips, orientation, samples, resolution, planes
  [290, 293],
  [296, 297],
  [301, 301],
  [317, 341], // predictor, colour map, tiles, inks, extra samples, sample format
  [347, 347], // JPEG tables
  [529, 532], // YCbCr
  [34675, 34675], // colour profile
];
const DROPPED_IN_RANGES = new Set([330, 333, 337]);
/** Tags of the JPEG tables of TIFF 6.0. */
const OLD_JPEG: [number, number] = [512, 521];
const ARTIST = 315;
const XMP = 700;
const COPYRIGHT = 33432;
/** Tags of the pixels' offsets with the tag of their lengths: strips and tiles. */
const PIXEL_TAGS = new Map([
  [273, 279],
  [324, 325],
]);
const TYPE_BYTES = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8];
const MAX_DIRECTORIES = 1000;
const MAX_ENTRIES = 4096;

/**
 * Copies everything that the pixels of a TIFF or BigTIFF need into a file of zeros, at the same offsets. Removes EXIF, GPS, XMP,
 * IPTC, thumbnails, unknown tags and everything that no tag refers to.
 * @param keepAttribution keeps artist and copyright
 * @param xmp packet to write over the file's own, if it is not longer
 * @returns null if the file's structure is unknown or contradictory
 */
export function blankTiff(file: Buffer, keepAttribution: boolean, xmp: string | null = null): Buffer | null {
  try {
    const layout = createLayout(file);
    if (!layout) return null;
    const copy = Buffer.alloc(file.length);
    const plan: Plan = {
      kept: new RangeSet(file.length),
      dropped: new RangeSet(file.length),
      claimed: 0,
      packet: xmp === null ? null : Buffer.from(xmp, 'utf8'),
      place: null,
    };
    plan.kept.add(0, layout.headerBytes);
    let at = layout.offset(layout.headerBytes - layout.offsetBytes);
    const directories: Directory[] = [];
    while (at !== 0) {
      if (directories.length >= MAX_DIRECTORIES) return null;
      const directory = readDirectory(file, layout, at, keepAttribution, plan);
      directories.push(directory);
      at = directory.next;
    }
    // A private value and the pixels overlap, so one of the offsets is wrong.
    if (plan.kept.overlaps(plan.dropped)) return null;
    for (const { start, end } of plan.kept.merged()) file.copy(copy, start, start, end);
    if (plan.packet && plan.place) {
      // A packet may be followed by white space.
      copy.fill(0x20, plan.place.start, plan.place.start + plan.place.length);
      plan.packet.copy(copy, plan.place.start);
    }
    for (const directory of directories) writeDirectory(copy, layout, directory);
    return copy;
  } catch {
    return null;
  }
}

/** Returns the bytes of a tag's value in the first directory, or null if it is not there. @throws RangeError for offsets outside the file */
export function findTiffValue(file: Buffer, tag: number): [start: number, end: number] | null {
  const layout = createLayout(file);
  if (!layout) return null;
  const { u16, offset, count, headerBytes, offsetBytes, countBytes } = layout;
  const at = offset(headerBytes - offsetBytes);
  const entryBytes = 4 + offsetBytes * 2;
  for (let index = 0; index < Math.min(count(at), MAX_ENTRIES); index += 1) {
    const entry = at + countBytes + index * entryBytes;
    if (u16(entry) !== tag) continue;
    const length = offset(entry + 4) * (TYPE_BYTES[u16(entry + 2)] ?? 0);
    const start = length > offsetBytes ? offset(entry + 4 + offsetBytes) : entry + 4 + offsetBytes;
    return [start, Math.min(start + length, file.length)];
  }
  return null;
}

type Layout = NonNullable<ReturnType<typeof createLayout>>;

interface Plan {
  kept: RangeSet;
  dropped: RangeSet;
  /** Bytes of all directories and values so far; more than the file's size means repeated references. */
  claimed: number;
  /** XMP to write. */
  packet: Buffer | null;
  /** Position at which it is written. */
  place: Entry | null;
}

interface Entry {
  tag: number;
  bytes: Buffer;
  type: number;
  count: number;
  /** Offset of the value. */
  start: number;
  length: number;
}

interface Directory {
  at: number;
  end: number;
  kept: Buffer[];
  next: number;
}

/** Widths and readers of the two variants (TIFF 6.0 and BigTIFF). */
function createLayout(file: Buffer) {
  const little = file.toString('latin1', 0, 2) === 'II';
  if (!little && file.toString('latin1', 0, 2) !== 'MM') return null;
  const u16 = (at: number) => (little ? file.readUInt16LE(at) : file.readUInt16BE(at));
  const u32 = (at: number) => (little ? file.readUInt32LE(at) : file.readUInt32BE(at));
  const u64 = (at: number) => Number(little ? file.readBigUInt64LE(at) : file.readBigUInt64BE(at));
  const setCount = (to: Buffer, at: number, bytes: number, value: number) =>
    little
      ? to.writeUIntLE(value, at, Math.min(6, bytes))
      : to.writeUIntBE(value, at + Math.max(0, bytes - 6), Math.min(6, bytes));
  const common = { u16, u32, u64, setCount };
  if (u16(2) === 42) return { ...common, offset: u32, count: u16, headerBytes: 8, offsetBytes: 4, countBytes: 2 };
  if (u16(2) !== 43 || u16(4) !== 8 || u16(6) !== 0) return null;
  return { ...common, offset: u64, count: u64, headerBytes: 16, offsetBytes: 8, countBytes: 8 };
}

function readDirectory(file: Buffer, layout: Layout, at: number, keepAttribution: boolean, plan: Plan): Directory {
  const count = layout.count(at);
  if (count > MAX_ENTRIES) throw new RangeError('entries');
  const entryBytes = 4 + 2 * layout.offsetBytes;
  const first = at + layout.countBytes;
  const end = first + count * entryBytes + layout.offsetBytes;
  plan.kept.add(at, end);
  claim(plan, file, end - at);
  const kept = new Map<number, Entry>();
  for (let index = 0; index < count; index += 1) {
    const entry = readEntry(file, layout, first + index * entryBytes);
    if (entry.tag >= OLD_JPEG[0] && entry.tag <= OLD_JPEG[1]) throw new RangeError('old JPEG');
    const holdsPacket = !plan.place && entry.tag === XMP && plan.packet !== null && entry.length >= plan.packet.length;
    if (holdsPacket) plan.place = entry;
    const keeps = isKept(entry.tag, keepAttribution) || holdsPacket;
    if (keeps) kept.set(entry.tag, entry);
    // A value that fits is stored in the entry itself.
    if (entry.length <= layout.offsetBytes) continue;
    claim(plan, file, entry.length);
    (keeps ? plan.kept : plan.dropped).add(entry.start, entry.start + entry.length);
  }
  keepPixels(layout, kept, plan);
  return { at, end, kept: [...kept.values()].map(({ bytes }) => bytes), next: layout.offset(end - layout.offsetBytes) };
}

function claim(plan: Plan, file: Buffer, bytes: number): void {
  plan.claimed += bytes;
  if (plan.claimed > file.length) throw new RangeError('claimed');
}

function readEntry(file: Buffer, layout: Layout, at: number): Entry {
  const type = layout.u16(at + 2);
  const count = layout.offset(at + 4);
  const valueAt = at + 4 + layout.offsetBytes;
  const length = (TYPE_BYTES[type] || 1) * count;
  const start = length <= layout.offsetBytes ? valueAt : layout.offset(valueAt);
  return { tag: layout.u16(at), bytes: file.subarray(at, valueAt + layout.offsetBytes), type, count, start, length };
}

/** Keeps the strips and tiles. */
function keepPixels(layout: Layout, entries: Map<number, Entry>, plan: Plan): void {
  for (const [offsetsTag, lengthsTag] of PIXEL_TAGS) {
    const offsets = entries.get(offsetsTag);
    if (!offsets) continue;
    const lengths = entries.get(lengthsTag);
    if (!lengths || lengths.count !== offsets.count) throw new RangeError('lengths');
    for (let index = 0; index < offsets.count; index += 1) {
      const start = readNumber(layout, offsets, index);
      const length = readNumber(layout, lengths, index);
      if (length > 0) plan.kept.add(start, start + length);
    }
  }
}

function readNumber(layout: Layout, { type, start }: Entry, index: number): number {
  const bytes = TYPE_BYTES[type] ?? 0;
  const at = start + index * bytes;
  if (bytes === 2) return layout.u16(at);
  if (bytes === 4) return layout.u32(at);
  if (bytes === 8) return layout.u64(at);
  throw new RangeError('type');
}

function isKept(tag: number, keepAttribution: boolean): boolean {
  if (tag === ARTIST || tag === COPYRIGHT) return keepAttribution;
  return !DROPPED_IN_RANGES.has(tag) && KEPT_RANGES.some(([from, to]) => tag >= from && tag <= to);
}

/** Closes the gaps of removed entries. */
function writeDirectory(copy: Buffer, layout: Layout, { at, end, kept }: Directory): void {
  const next = Buffer.from(copy.subarray(end - layout.offsetBytes, end));
  copy.fill(0, at, end);
  layout.setCount(copy, at, layout.countBytes, kept.length);
  Buffer.concat([...kept, next]).copy(copy, at + layout.countBytes);
}
