interface Box {
  type: string;
  /** Positions in the file: of the box, of its content, and behind it. */
  at: number;
  start: number;
  end: number;
}

const TOP_LEVEL = new Set(['ftyp', 'meta', 'mdat', 'moov', 'free', 'skip']);

/**
 * Copies an AVIF with its EXIF and XMP items overwritten by zeros (ISO 23008-12, ISO 14496-12): nothing moves, so no offset has to
 * be corrected; orientation and colour are properties, not EXIF, and stay.
 * @returns null when the file's structure is not understood
 */
export function blankAvif(file: Buffer): Buffer | null {
  const copy = Buffer.from(file);
  try {
    const boxes = readBoxes(copy, 0, copy.length);
    const meta = boxes.find(({ type }) => type === 'meta');
    if (!meta) return null;
    for (const box of boxes) {
      // Vendors keep XMP and provenance in boxes of their own.
      if (!TOP_LEVEL.has(box.type)) blankBox(copy, box);
    }
    blankItems(copy, readBoxes(copy, meta.start + 4, meta.end));
    return copy;
  } catch {
    return null;
  }
}

function readBoxes(file: Buffer, from: number, to: number): Box[] {
  const boxes: Box[] = [];
  for (let at = from; at < to; ) {
    const short = file.readUInt32BE(at);
    const header = short === 1 ? 16 : 8;
    const length = short === 1 ? Number(file.readBigUInt64BE(at + 8)) : short === 0 ? to - at : short;
    if (length < header || at + length > to) throw new RangeError('box');
    boxes.push({ type: file.toString('latin1', at + 4, at + 8), at, start: at + header, end: at + length });
    at += length;
  }
  return boxes;
}

function blankBox(file: Buffer, box: Box): void {
  file.fill(0, box.start, box.end);
  file.write('free', box.at + 4, 'latin1');
}

function blankItems(file: Buffer, boxes: Box[]): void {
  const info = boxes.find(({ type }) => type === 'iinf');
  const locations = boxes.find(({ type }) => type === 'iloc');
  const data = boxes.find(({ type }) => type === 'idat');
  if (!info || !locations) return;
  const hidden = privateItems(file, info);
  for (const { item, method, offset, length } of readLocations(file, locations)) {
    if (!hidden.has(item)) continue;
    const start = method === 1 ? (data?.start ?? Number.NaN) + offset : offset;
    if (method > 1 || !(start + length <= file.length)) throw new RangeError('extent');
    file.fill(0, start, start + length);
  }
}

/** Ids of the items that hold EXIF or XMP: `infe` version 2 or 3. */
function privateItems(file: Buffer, info: Box): Set<number> {
  const version = file[info.start] ?? 0;
  const items = new Set<number>();
  for (const { start } of readBoxes(file, info.start + (version === 0 ? 6 : 8), info.end)) {
    const wide = (file[start] ?? 0) >= 3;
    const id = wide ? file.readUInt32BE(start + 4) : file.readUInt16BE(start + 4);
    const type = file.toString('latin1', start + (wide ? 10 : 8), start + (wide ? 14 : 12));
    if (type === 'Exif' || type === 'mime' || type === 'uri ') items.add(id);
  }
  return items;
}

interface Extent {
  item: number;
  method: number;
  offset: number;
  length: number;
}

function readLocations(file: Buffer, box: Box): Extent[] {
  let at = box.start;
  const take = (bytes: number): number => {
    const value = bytes === 0 ? 0 : bytes === 8 ? Number(file.readBigUInt64BE(at)) : file.readUIntBE(at, bytes);
    at += bytes;
    return value;
  };
  const version = take(1);
  take(3);
  const sizes = take(2);
  const [offsetSize, lengthSize, baseSize] = [sizes >> 12, (sizes >> 8) & 15, (sizes >> 4) & 15];
  const indexSize = version === 0 ? 0 : sizes & 15;
  const extents: Extent[] = [];
  for (let items = take(version < 2 ? 2 : 4); items > 0; items -= 1) {
    const item = take(version < 2 ? 2 : 4);
    const method = version === 0 ? 0 : take(2) & 15;
    take(2);
    const base = take(baseSize);
    for (let count = take(2); count > 0; count -= 1) {
      take(indexSize);
      const offset = base + take(offsetSize);
      extents.push({ item, method, offset, length: take(lengthSize) });
    }
  }
  return extents;
}
