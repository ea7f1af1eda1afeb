/** Author and copyright from EXIF, the only personal data that an output may contain. */
export interface Attribution {
  artist?: string | undefined;
  copyright?: string | undefined;
}

const ORIENTATION = 0x0112;
const ARTIST = 0x013b;
const COPYRIGHT = 0x8298;
const ASCII = 2;
const SHORT = 3;
const MAX_TEXT_BYTES = 1024;

/** Reads artist and copyright from an EXIF block (TIFF 6.0 IFD0); damaged blocks read as empty. */
export function readExif(exif: Buffer | undefined): Attribution {
  if (!exif) return {};
  const tiff = exif.toString('latin1', 0, 6) === 'Exif\0\0' ? exif.subarray(6) : exif;
  try {
    return readDirectory(tiff);
  } catch {
    // Out of range: a block with invalid lengths reads as empty.
    return {};
  }
}

function readDirectory(tiff: Buffer): Attribution {
  const little = tiff.toString('latin1', 0, 2) === 'II';
  const u16 = (at: number) => (little ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const u32 = (at: number) => (little ? tiff.readUInt32LE(at) : tiff.readUInt32BE(at));
  const found: Attribution = {};
  const directory = u32(4);
  const count = Math.min(u16(directory), 512);
  for (let at = directory + 2; at < directory + 2 + count * 12; at += 12) {
    const tag = u16(at);
    const type = u16(at + 2);
    if ((tag !== ARTIST && tag !== COPYRIGHT) || type !== ASCII) continue;
    const length = u32(at + 4);
    const start = length <= 4 ? at + 8 : u32(at + 8);
    const text = readText(tiff.subarray(start, start + Math.min(length, MAX_TEXT_BYTES)));
    if (text !== '') found[tag === ARTIST ? 'artist' : 'copyright'] = text;
  }
  return found;
}

function readText(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  const raw = end < 0 ? bytes : bytes.subarray(0, end);
  // The standard requires ASCII; cameras and editors write UTF-8.
  return raw.toString('utf8').replaceAll('\ufffd', '').trim();
}

/** Writes an EXIF block (without the `Exif\0\0` prefix) with these tags alone; null without any. */
export function writeExif(tags: Attribution & { orientation?: number | undefined }): Buffer | null {
  const entries: { tag: number; type: number; count: number; data: Buffer }[] = [];
  if (tags.orientation !== undefined && tags.orientation > 1) {
    const data = Buffer.alloc(4);
    data.writeUInt16LE(tags.orientation);
    entries.push({ tag: ORIENTATION, type: SHORT, count: 1, data });
  }
  for (const [tag, text] of [[ARTIST, tags.artist] as const, [COPYRIGHT, tags.copyright] as const]) {
    if (!text) continue;
    const data = Buffer.from(`${text}\0`, 'utf8');
    entries.push({ tag, type: ASCII, count: data.length, data });
  }
  if (entries.length === 0) return null;
  const head = Buffer.alloc(8 + 2 + entries.length * 12 + 4);
  head.write('II*\0', 0, 'latin1');
  head.writeUInt32LE(8, 4);
  head.writeUInt16LE(entries.length, 8);
  const tail: Buffer[] = [];
  let offset = head.length;
  for (const [index, entry] of entries.entries()) {
    const at = 10 + index * 12;
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
