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
  let at = 13 + colourTableLength(file[10] ?? 0);
  const parts: Buffer[] = [file.subarray(0, at)];
  let images = 0;
  while (at < file.length) {
    const kind = file[at];
    // Decoders stop at any other block, too.
    if (kind === TRAILER || (images > 0 && kind !== IMAGE && kind !== EXTENSION))
      return Buffer.concat([...parts, Buffer.from([TRAILER])]);
    // An image has its own colour table and one byte (the code size) before its data.
    const data = kind === IMAGE ? at + 11 + colourTableLength(file[at + 9] ?? 0) : at + 2;
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

/** Disposal that clears a frame's area. */
const TO_BACKGROUND = 2;
/** A frame of one transparent pixel: graphic control with a transparent colour, descriptor with a colour table of two, data. */
const TRANSPARENT_FRAME = Buffer.from(
  ['21f9040100000000', '2c00000000010001008000000000000002', '024401', '00'].join(''),
  'hex',
);

/**
 * Adds a last frame with transparency to a GIF that shows its background though no frame declares a transparent colour. Browsers show the
 * background transparent; the library has transparency only if a frame declares it, and the added frame is not read.
 * @returns null if frames cover the canvas, or the structure is not understood
 */
export function withGifTransparency(file: Buffer): Buffer | null {
  const end = showsBackground(file);
  if (end === null) return null;
  return Buffer.concat([file.subarray(0, end), TRANSPARENT_FRAME, Buffer.from([TRAILER])]);
}

/** Returns where the frames end if the background is seen, else null. */
function showsBackground(file: Buffer): number | null {
  const [width, height] = [file.readUInt16LE(6), file.readUInt16LE(8)];
  let seen = false;
  let frames = 0;
  let at = 13 + colourTableLength(file[10] ?? 0);
  while (at < file.length) {
    const kind = file[at];
    if (kind === EXTENSION) {
      // A cleared area is seen once another frame follows, or the animation begins again.
      if (file[at + 1] === GRAPHIC_CONTROL && (((file[at + 3] ?? 0) >> 2) & 7) === TO_BACKGROUND) seen = true;
    } else if (kind === IMAGE && at + 10 <= file.length) {
      const [left, top] = [file.readUInt16LE(at + 1), file.readUInt16LE(at + 3)];
      const covers =
        left === 0 && top === 0 && file.readUInt16LE(at + 5) >= width && file.readUInt16LE(at + 7) >= height;
      if (frames === 0 && !covers) seen = true;
      frames += 1;
    } else break;
    const data = kind === IMAGE ? at + 11 + colourTableLength(file[at + 9] ?? 0) : at + 2;
    const end = endOfSubBlocks(file, data);
    if (end === null) break;
    at = end;
  }
  return seen && frames > 0 ? at : null;
}

/** Returns the bytes of a colour table, by the flags before it. */
function colourTableLength(flags: number): number {
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
