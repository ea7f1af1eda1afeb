import { EXIF, type ExifTag } from '../shared/exif-tags.ts';
import { decodeText } from './metadata/decode-text.ts';

/** Author and copyright from EXIF. */
export interface Attribution {
  artist?: string | undefined;
  copyright?: string | undefined;
}

/** A tag with its value in little-endian order. */
export interface ExifEntry extends ExifTag {
  type: number;
  count: number;
  data: Buffer;
}

const ASCII = 2;
/** Type of a value of 16 bits. */
export const SHORT = 3;
const LONG = 4;
const UNDEFINED = 7;
/** Bytes of a value by type, and of the numbers that it consists of. */
const TYPE_BYTES = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8];
const NUMBER_BYTES = [0, 1, 1, 2, 4, 4, 1, 1, 2, 4, 4, 4, 8];
const MAX_VALUE_BYTES = 1024;
const MAX_ENTRIES = 512;
const EXIF_VERSION: ExifEntry = {
  directory: 'photo',
  tag: 0x9000,
  type: UNDEFINED,
  count: 4,
  data: Buffer.from('0232', 'latin1'),
};

/** Tags of an EXIF block: their values, and whether it contains a thumbnail. */
export interface ExifBlock {
  entries: ExifEntry[];
  thumbnail: boolean;
}

/** Reads artist and copyright from an EXIF block (TIFF 6.0 IFD0); damaged blocks read as empty. */
export function readExif(exif: Buffer | undefined): Attribution {
  return attributionOf(readExifBlock(exif).entries);
}

/** Returns artist and copyright of the tags. */
export function attributionOf(entries: ExifEntry[]): Attribution {
  const found: Attribution = {};
  for (const { directory, tag, type, data } of entries) {
    if (directory !== 'image' || type !== ASCII || (tag !== EXIF.artist && tag !== EXIF.copyright)) continue;
    const text = readText(data, tag);
    if (text !== '') found[tag === EXIF.artist ? 'artist' : 'copyright'] = text;
  }
  return found;
}

/**
 * Reads the tags of an EXIF block or a TIFF: of the first directory and of that of the photograph. Values are cut to 1 kB. A damaged block
 * is read up to the damage.
 */
export function readExifBlock(exif: Buffer | undefined): ExifBlock {
  const block: ExifBlock = { entries: [], thumbnail: false };
  if (!exif) return block;
  const isPrefixed = exif.toString('latin1', 0, 6) === 'Exif\0\0';
  const tiff = isPrefixed ? exif.subarray(6) : exif;
  try {
    const little = tiff.toString('latin1', 0, 2) === 'II';
    const u32 = (at: number) => (little ? tiff.readUInt32LE(at) : tiff.readUInt32BE(at));
    const next = readDirectory(tiff, little, u32(4), 'image', block.entries);
    const photo = block.entries.find(({ tag }) => tag === EXIF.photo);
    // The second directory of a file is its second page.
    block.thumbnail = next !== 0 && next < tiff.length && exif.length < MAX_BLOCK_BYTES;
    if (photo?.type === LONG) readDirectory(tiff, little, photo.data.readUInt32LE(0), 'photo', block.entries);
  } catch {
    // Out of range: lengths or offsets are invalid.
  }
  return block;
}

/** Largest block that a JPEG can hold; longer ones are whole TIFF files. */
const MAX_BLOCK_BYTES = 65_536;

/** Reads one directory. @returns the offset of the next one */
function readDirectory(
  tiff: Buffer,
  little: boolean,
  from: number,
  directory: ExifTag['directory'],
  entries: ExifEntry[],
): number {
  const u16 = (at: number) => (little ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const u32 = (at: number) => (little ? tiff.readUInt32LE(at) : tiff.readUInt32BE(at));
  const count = Math.min(u16(from), MAX_ENTRIES);
  for (let at = from + 2; at < from + 2 + count * 12; at += 12) {
    const type = u16(at + 2);
    const size = TYPE_BYTES[type] ?? 0;
    const length = size * u32(at + 4);
    if (size === 0 || length === 0) continue;
    const start = length <= 4 ? at + 8 : u32(at + 8);
    const taken = Math.min(length, MAX_VALUE_BYTES);
    const raw = tiff.subarray(start, start + taken);
    if (raw.length < taken && type !== ASCII) continue;
    const data = little ? raw : swapped(raw, NUMBER_BYTES[type] ?? 1);
    entries.push({ directory, tag: u16(at), type, count: Math.floor(data.length / size), data });
  }
  const end = from + 2 + count * 12;
  return end + 4 <= tiff.length ? u32(end) : 0;
}

function swapped(raw: Buffer, bytes: number): Buffer {
  const copy = Buffer.from(raw.subarray(0, raw.length - (raw.length % bytes)));
  if (bytes === 2) return copy.swap16();
  if (bytes === 4) return copy.swap32();
  return bytes === 8 ? copy.swap64() : copy;
}

/** Reads a text up to its end; of a copyright also the second part, which names the editor (Exif 3.0, 4.6.5). */
function readText(bytes: Buffer, tag: number): string {
  const parts = bytes.toString('latin1').split('\0', tag === EXIF.copyright ? 2 : 1);
  const texts = parts.map((part) => decodeText(Buffer.from(part, 'latin1')).replaceAll('\ufffd', '').trim());
  return texts.filter((text) => text !== '').join('; ');
}

/** Input of an EXIF block. */
export interface ExifTags extends Attribution {
  orientation?: number | undefined;
  /** Further tags; those of the fields above are ignored. */
  exif?: readonly ExifEntry[] | undefined;
}

const OWN_FIELDS: ReadonlySet<number> = new Set([EXIF.orientation, EXIF.artist, EXIF.copyright, EXIF.photo]);

/** Writes an EXIF block (without the `Exif\0\0` prefix) with these tags alone; null without any. */
export function writeExif({ orientation = 1, artist, copyright, exif = [] }: ExifTags): Buffer | null {
  const entries = exif.filter(({ directory, tag }) => directory === 'photo' || !OWN_FIELDS.has(tag));
  if (orientation > 1) entries.push(imageEntry(EXIF.orientation, SHORT, 1, u16Bytes(orientation)));
  for (const [tag, text] of [[EXIF.artist, artist] as const, [EXIF.copyright, copyright] as const]) {
    const data = Buffer.from(`${text ?? ''}\0`, 'utf8');
    if (text) entries.push(imageEntry(tag, ASCII, data.length, data));
  }
  if (entries.length === 0) return null;
  const image = entries.filter(({ directory }) => directory === 'image');
  const photo = entries.filter(({ directory }) => directory === 'photo');
  const header = Buffer.from('II*\0\x08\0\0\0', 'latin1');
  if (photo.length === 0) return Buffer.concat([header, directoryBytes(image, 8)]);
  // The pointer has a fixed size, so the length of the first directory is known before its value.
  const pointer = imageEntry(EXIF.photo, LONG, 1, Buffer.alloc(4));
  const at = 8 + directoryBytes([...image, pointer], 8).length;
  pointer.data.writeUInt32LE(at);
  return Buffer.concat([header, directoryBytes([...image, pointer], 8), directoryBytes([...photo, EXIF_VERSION], at)]);
}

function imageEntry(tag: number, type: number, count: number, data: Buffer): ExifEntry {
  return { directory: 'image', tag, type, count, data };
}

function u16Bytes(value: number): Buffer {
  const data = Buffer.alloc(4);
  data.writeUInt16LE(value);
  return data;
}

/** Writes a directory that begins at the offset, followed by its values. */
function directoryBytes(unsorted: ExifEntry[], from: number): Buffer {
  const entries = [...new Map(unsorted.map((entry) => [entry.tag, entry])).values()].sort((a, b) => a.tag - b.tag);
  const head = Buffer.alloc(2 + entries.length * 12 + 4);
  head.writeUInt16LE(entries.length, 0);
  const tail: Buffer[] = [];
  let offset = from + head.length;
  for (const [index, entry] of entries.entries()) {
    const at = 2 + index * 12;
    head.writeUInt16LE(entry.tag, at);
    head.writeUInt16LE(entry.type, at + 2);
    head.writeUInt32LE(entry.count, at + 4);
    if (entry.data.length <= 4) {
      entry.data.copy(head, at + 8);
      continue;
    }
    head.writeUInt32LE(offset, at + 8);
    // Offsets are even (TIFF 6.0, section 2).
    const padded = entry.data.length % 2 ? Buffer.concat([entry.data, Buffer.alloc(1)]) : entry.data;
    tail.push(padded);
    offset += padded.length;
  }
  return Buffer.concat([head, ...tail]);
}
