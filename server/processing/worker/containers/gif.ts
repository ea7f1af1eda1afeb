import { colourTableLength, endOfSubBlocks } from './whole-gif.ts';

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
