/** Tags that decide how the pixels are read (TIFF 6.0 and its supplements); all others are private or unknown. */
const KEPT_RANGES: [number, number][] = [
  [254, 266], // file type, size, bits, compression, photometric interpretation
  [273, 284], // strips, orientation, samples, resolution, planes
  [288, 293],
  [296, 297],
  [301, 301],
  [317, 341], // predictor, colour map, tiles, inks, extra samples, sample format
  [347, 347], // JPEG tables
  [512, 532], // JPEG, YCbCr
  [34675, 34675], // colour profile
];
const DROPPED_IN_RANGES = new Set([330, 333, 337]);
const ARTIST = 315;
const COPYRIGHT = 33432;
const TYPE_BYTES = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4];
const MAX_DIRECTORIES = 1000;

/**
 * Copies a TIFF with its EXIF, GPS, XMP, IPTC and unknown tags removed and their values overwritten by zeros; nothing else moves.
 * @param keepAttribution keep artist and copyright
 * @returns null when the file's structure is not understood (BigTIFF included)
 */
export function blankTiff(file: Buffer, keepAttribution: boolean): Buffer | null {
  const copy = Buffer.from(file);
  try {
    const order = copy.toString('latin1', 0, 4);
    if (order !== 'II*\0' && order !== 'MM\0*') return null;
    const view = createView(copy, order.startsWith('II'));
    let at = view.u32(4);
    for (let count = 0; at !== 0; count += 1) {
      if (count > MAX_DIRECTORIES) return null;
      at = blankDirectory(copy, view, at, (tag) => isKept(tag, keepAttribution));
    }
    return copy;
  } catch {
    return null;
  }
}

type View = ReturnType<typeof createView>;

function createView(file: Buffer, little: boolean) {
  return {
    u16: (at: number) => (little ? file.readUInt16LE(at) : file.readUInt16BE(at)),
    u32: (at: number) => (little ? file.readUInt32LE(at) : file.readUInt32BE(at)),
    setU16: (at: number, value: number) => (little ? file.writeUInt16LE(value, at) : file.writeUInt16BE(value, at)),
  };
}

function isKept(tag: number, keepAttribution: boolean): boolean {
  if (tag === ARTIST || tag === COPYRIGHT) return keepAttribution;
  return !DROPPED_IN_RANGES.has(tag) && KEPT_RANGES.some(([from, to]) => tag >= from && tag <= to);
}

/** Closes the gaps of the dropped entries and returns the position of the next directory, 0 after the last. */
function blankDirectory(file: Buffer, view: View, at: number, keeps: (tag: number) => boolean): number {
  const count = view.u16(at);
  const end = at + 2 + count * 12;
  const next = view.u32(end);
  const kept: Buffer[] = [];
  for (let entry = at + 2; entry < end; entry += 12) {
    if (keeps(view.u16(entry))) kept.push(Buffer.from(file.subarray(entry, entry + 12)));
    else blankValue(file, view, entry);
  }
  const nextBytes = Buffer.from(file.subarray(end, end + 4));
  file.fill(0, at + 2, end + 4);
  view.setU16(at, kept.length);
  Buffer.concat([...kept, nextBytes]).copy(file, at + 2);
  return next;
}

const EXIF = 34665;
const GPS = 34853;
const INTEROPERABILITY = 40965;

function blankValue(file: Buffer, view: View, entry: number): void {
  const tag = view.u16(entry);
  const position = view.u32(entry + 8);
  // These point to directories of their own.
  if (tag === EXIF || tag === GPS || tag === INTEROPERABILITY) {
    blankDirectory(file, view, position, () => false);
    return;
  }
  const length = (TYPE_BYTES[view.u16(entry + 2)] ?? 1) * view.u32(entry + 4);
  if (length > 4) file.fill(0, position, Math.min(position + length, file.length));
}
