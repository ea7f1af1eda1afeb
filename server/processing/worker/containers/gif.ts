const EXTENSION = 0x21;
const IMAGE = 0x2c;
const TRAILER = 0x3b;
const GRAPHIC_CONTROL = 0xf9;
const APPLICATION = 0xff;
/** Application extensions with the number of repetitions. */
const LOOPS = new Set(['NETSCAPE2.0', 'ANIMEXTS1.0']);

/**
 * Copies a GIF without re-encoding it (GIF89a): drops comments, XMP and other application data and the bytes after the end, keeps
 * frames, delays and the number of repetitions. A missing trailer stays missing, which decoders accept.
 * @returns null if the file is not a well-formed GIF
 */
export function rewriteGif(file: Buffer): Buffer | null {
  if (file.length < 14 || !/^GIF8[79]a/.test(file.toString('latin1', 0, 6))) return null;
  let at = 13 + lengthOfColourTable(file[10] ?? 0);
  const parts: Buffer[] = [file.subarray(0, at)];
  let images = 0;
  while (at < file.length) {
    const kind = file[at];
    // Decoders stop at any other block, too.
    if (kind === TRAILER || (images > 0 && kind !== IMAGE && kind !== EXTENSION))
      return Buffer.concat([...parts, Buffer.from([TRAILER])]);
    // An image has its own colour table and one byte (the code size) before its data.
    const data = kind === IMAGE ? at + 11 + lengthOfColourTable(file[at + 9] ?? 0) : at + 2;
    const end = endOfSubBlocks(file, data);
    if ((kind !== IMAGE && kind !== EXTENSION) || end === null) return null;
    if (kind === IMAGE) images += 1;
    if (kind === IMAGE || isKept(file, at)) parts.push(file.subarray(at, end));
    at = end;
  }
  return images > 0 ? Buffer.concat(parts) : null;
}

/** Reads the XMP of a GIF, which the image library does not (XMP specification, part 3, 1.1.2). */
export function readGifXmp(file: Buffer): string | undefined {
  const at = file.indexOf('\x21\xff\x0bXMP DataXMP', 0, 'latin1');
  // The packet is not in sub-blocks; a trailer of 258 bytes leads readers that do not know it to the end.
  const end = at < 0 ? -1 : file.indexOf('\x01\xff\xfe\xfd', at, 'latin1');
  return end < 0 ? undefined : file.toString('utf8', at + 14, end);
}

function isKept(file: Buffer, at: number): boolean {
  const label = file[at + 1];
  return label === GRAPHIC_CONTROL || (label === APPLICATION && LOOPS.has(file.toString('latin1', at + 3, at + 14)));
}

/** Disposals: the frame's area is cleared, or gets back what was there before the frame (3, and 4 by mistake). */
const TO_BACKGROUND = 2;
const TO_PREVIOUS = 3;
/** A frame of one transparent pixel: graphic control with a transparent colour, descriptor with a colour table of two, data. */
const TRANSPARENT_FRAME = Buffer.from(
  ['21f9040100000000', '2c00000000010001008000000000000002', '024401', '00'].join(''),
  'hex',
);

/**
 * Makes the background of a GIF transparent, as browsers show it. The library has transparency only if a frame declares a transparent colour,
 * and fills the area of a cleared frame that declares none with the background colour. Such frames get a transparent colour that no pixel has;
 * without any, a last frame with transparency is added, which is not read.
 * @returns null if frames cover the canvas, all declare what is needed, or the structure is not understood
 */
export function withGifTransparency(file: Buffer): Buffer | null {
  const { frames, end } = readFrames(file);
  const cleared = frames.filter(({ disposal, transparent }) => disposal === TO_BACKGROUND && !transparent);
  const copy = Buffer.from(file.subarray(0, end));
  let declared = frames.some(({ transparent }) => transparent);
  let changed = false;
  for (const { control, data } of cleared) {
    const free = findFreeIndex(file, data);
    if (free === null) continue;
    copy[control] = (copy[control] ?? 0) | TRANSPARENT;
    copy[control + 3] = free;
    changed = true;
  }
  declared ||= changed;
  if (changed || !showsBackground(file, frames, cleared.length > 0)) return changed ? copy : null;
  return declared ? null : Buffer.concat([copy, TRANSPARENT_FRAME, Buffer.from([TRAILER])]);
}

/** Returns true if something of the canvas is not covered: a cleared area is seen once another frame follows, or the animation begins again. */
function showsBackground(file: Buffer, [first]: GifFrame[], clears: boolean): boolean {
  if (!first) return false;
  const [left = 0, top = 0, width = 0, height = 0] = [1, 3, 5, 7].map((at) => file.readUInt16LE(first.at + at));
  const covers = left === 0 && top === 0 && width >= file.readUInt16LE(6) && height >= file.readUInt16LE(8);
  return clears || !covers || first.disposal >= TO_PREVIOUS;
}

/** A frame: the positions of its descriptor, of its data and of the flags of its graphic control, and what these say. */
interface GifFrame {
  at: number;
  data: number;
  control: number;
  disposal: number;
  transparent: boolean;
}

/** Flag of a graphic control that declares a transparent colour. */
const TRANSPARENT = 1;

/** Reads the complete frames, and where they end. */
function readFrames(file: Buffer): { frames: GifFrame[]; end: number } {
  const frames: GifFrame[] = [];
  let at = 13 + lengthOfColourTable(file[10] ?? 0);
  let control = 0;
  while (at < file.length) {
    const kind = file[at];
    if (kind !== EXTENSION && (kind !== IMAGE || at + 10 > file.length)) break;
    const data = kind === IMAGE ? at + 10 + lengthOfColourTable(file[at + 9] ?? 0) : at + 1;
    const end = endOfSubBlocks(file, data + 1);
    if (end === null) break;
    if (kind === EXTENSION && file[at + 1] === GRAPHIC_CONTROL) control = at + 3;
    if (kind === IMAGE) {
      const flags = control > 0 ? (file[control] ?? 0) : 0;
      frames.push({ at, data, control, disposal: (flags >> 2) & 7, transparent: (flags & TRANSPARENT) !== 0 });
      control = 0;
    }
    at = end;
  }
  return { frames, end: at };
}

/** Finds an index that no pixel of a frame has. @returns null if there is none */
function findFreeIndex(file: Buffer, data: number): number | null {
  // A smaller code size holds no index of 255.
  if ((file[data] ?? 0) < 8) return 255;
  const used = usedIndices(file, data);
  for (let index = 255; index >= 0; index -= 1) if (!used.has(index)) return index;
  return null;
}

const MOST_CODE_BITS = 12;

/** Collects the indices of a frame (GIF89a, appendix F). Each is once a code of its own before a longer code stands for it. */
function usedIndices(file: Buffer, data: number): Set<number> {
  const used = new Set<number>();
  const smallest = file[data] ?? 0;
  const clear = 1 << smallest;
  let [bits, next, isFirst] = [smallest + 1, clear + 2, true];
  let [held, heldBits] = [0, 0];
  for (let block = data + 1; file[block]; block += 1 + (file[block] ?? 0)) {
    for (let at = block + 1; at <= block + (file[block] ?? 0); at += 1) {
      held |= (file[at] ?? 0) << heldBits;
      heldBits += 8;
      while (heldBits >= bits) {
        const code = held & ((1 << bits) - 1);
        held >>>= bits;
        heldBits -= bits;
        if (code === clear + 1) return used;
        if (code < clear) used.add(code);
        // The first code after a reset adds no code of its own.
        if (code !== clear && !isFirst) next = Math.min(next + 1, 1 << MOST_CODE_BITS);
        isFirst = code === clear;
        if (isFirst) [bits, next] = [smallest + 1, clear + 2];
        else if (next === 1 << bits && bits < MOST_CODE_BITS) bits += 1;
      }
    }
  }
  return used;
}

/** Returns the bytes of a colour table, by the flags before it. */
export function lengthOfColourTable(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0;
}

/** Returns the end of a list of sub-blocks; null if the file ends before it. */
export function endOfSubBlocks(file: Buffer, from: number): number | null {
  let at = from;
  for (;;) {
    const length = file[at];
    if (length === undefined) return null;
    at += 1 + length;
    if (length === 0) return at;
  }
}
