/** Tags of EXIF whose value is the place of another directory: EXIF, GPS, interoperability. */
const POINTERS = new Set([0x8769, 0x8825, 0xa005]);
/** Most of them in a block; real ones have three. The library reads the directory behind each one again: 5,000 took it half a minute. */
const MOST_POINTERS = 32;
/** Most entries of all blocks that are looked at, which bounds the work for a file full of headers. */
const MOST_ENTRIES = 500_000;
const HEADERS = ['II*\0', 'MM\0*'];

/** Returns false if a block of EXIF anywhere in a file refers to directories more often than any program writes. */
export function hasFewExifPointers(file: Buffer): boolean {
  const walk = { entries: 0 };
  for (const header of HEADERS) {
    for (let at = file.indexOf(header, 0, 'latin1'); at >= 0; at = file.indexOf(header, at + 4, 'latin1')) {
      if (countPointers(file.subarray(at), header === 'II*\0', walk) > MOST_POINTERS) return false;
      if (walk.entries > MOST_ENTRIES) return false;
    }
  }
  return true;
}

/** Counts the pointers of a block in the directories that it reaches, each read once. */
function countPointers(block: Buffer, isLittle: boolean, walk: { entries: number }): number {
  const u16 = (at: number) => (isLittle ? block.readUInt16LE(at) : block.readUInt16BE(at));
  const u32 = (at: number) => (isLittle ? block.readUInt32LE(at) : block.readUInt32BE(at));
  const has = (at: number, bytes: number) => at + bytes <= block.length;
  const places = has(4, 4) ? [u32(4)] : [];
  const read = new Set<number>();
  let pointers = 0;
  for (let place = places.pop(); place !== undefined && pointers <= MOST_POINTERS; place = places.pop()) {
    if (read.has(place) || !has(place, 2)) continue;
    read.add(place);
    const end = place + 2 + u16(place) * 12;
    for (let at = place + 2; at < end && has(at, 12); at += 12) {
      walk.entries += 1;
      if (!POINTERS.has(u16(at))) continue;
      pointers += 1;
      places.push(u32(at + 8));
    }
    // The directory of the thumbnail follows the first one.
    if (has(end, 4)) places.push(u32(end));
    if (read.size > MOST_POINTERS) break;
  }
  return pointers;
}
