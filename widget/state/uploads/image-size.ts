/** Bytes that are looked at: the size of a JPEG stands behind its metadata and its embedded preview. */
const HEAD_BYTES = 256 * 1024;

/**
 * Width and height from a picture's first bytes, without decoding it; null when they do not say, false when they are not those of an
 * image.
 */
export async function readImageSize(file: Blob): Promise<{ width: number; height: number } | null | false> {
  const view = new DataView(await file.slice(0, HEAD_BYTES).arrayBuffer());
  try {
    return parse(view);
  } catch {
    // A RangeError: the file ends too early, or its size stands further behind.
    return null;
  }
}

/** Bytes at the end of a file in which its last marker is found, unless a camera has appended a film. */
const TAIL_BYTES = 64 * 1024;

/** True for a JPEG, PNG or GIF that ends before its end marker, as after a copy that was broken off. */
export async function isTruncated(file: Blob): Promise<boolean> {
  const bytes = async (from: number, to?: number) => new Uint8Array(await file.slice(from, to).arrayBuffer());
  const [first, second] = await bytes(0, 2);
  const end = first === 0xff && second === 0xd8 ? [0xff, 0xd9] : first === 0x89 ? [0x49, 0x45, 0x4e, 0x44] : null;
  if (!end) return false;
  const hasEnd = (data: Uint8Array) => data.some((_, at) => end.every((byte, index) => data[at + index] === byte));
  if (hasEnd(await bytes(Math.max(2, file.size - TAIL_BYTES)))) return false;
  return !hasEnd(await bytes(await pictureStart(file)));
}

/** Returns where the pixels of a JPEG begin, since its embedded preview has an end of its own; 0 if that is unknown. */
async function pictureStart(file: Blob): Promise<number> {
  const view = new DataView(await file.slice(0, HEAD_BYTES).arrayBuffer());
  try {
    for (let at = 2; view.getUint8(at) === 0xff; at += 2 + view.getUint16(at + 2)) {
      if (view.getUint8(at + 1) === 0xda) return at;
    }
  } catch {
    // They begin further behind.
  }
  return 0;
}

/** First bytes of a TIFF and a BigTIFF, in both orders. */
const TIFF = [0x49492a00, 0x4d4d002a, 0x49492b00, 0x4d4d002b];

function parse(view: DataView) {
  const first = view.getUint32(0);
  if (first === 0x89504e47)
    return view.getUint32(12) === 0x49484452 && { width: view.getUint32(16), height: view.getUint32(20) };
  if (first === 0x47494638) return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
  if (first >>> 16 === 0xffd8) return parseJpeg(view);
  if (first === 0x52494646 && view.getUint32(8) === 0x57454250) return parseWebp(view);
  if (view.getUint32(4) === 0x66747970) return parseIspe(view);
  // A TIFF may have its size anywhere.
  return TIFF.includes(first) && null;
}

function parseJpeg(view: DataView) {
  for (let at = 2; ; ) {
    const marker = view.getUint16(at);
    // SOF0-SOF15 without DHT, JPG and DAC.
    const isFrame = marker >= 0xffc0 && marker <= 0xffcf && ![0xffc4, 0xffc8, 0xffcc].includes(marker);
    if (isFrame) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    if (marker >>> 8 !== 0xff) return null;
    at += marker === 0xffff ? 1 : 2 + view.getUint16(at + 2);
  }
}

function parseWebp(view: DataView) {
  const kind = view.getUint32(12);
  const uint24 = (at: number) => view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
  if (kind === 0x56503858) return { width: uint24(24) + 1, height: uint24(27) + 1 };
  if (kind === 0x5650384c && view.getUint8(20) === 0x2f) {
    const bits = view.getUint32(21, true);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  // Without the start code of a key frame, the size would be read out of noise.
  if (kind !== 0x56503820 || view.getUint16(23) !== 0x9d01 || view.getUint8(25) !== 0x2a) return false;
  return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
}

/** AVIF and HEIC: the largest `ispe` box is the picture, others are tiles and previews. */
function parseIspe(view: DataView) {
  let best: { width: number; height: number } | null = null;
  for (let at = 8; at + 16 <= view.byteLength; at += 1) {
    if (view.getUint32(at) !== 0x69737065) continue;
    const size = { width: view.getUint32(at + 8), height: view.getUint32(at + 12) };
    if (!best || size.width * size.height > best.width * best.height) best = size;
  }
  return best;
}
