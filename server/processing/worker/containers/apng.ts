import { PNG_SIGNATURE, pngChunk } from './png-chunk.ts';

/** Disposals of a frame: it stays, its area is cleared, or its area gets back what was there before it. */
export const DISPOSE = { none: 0, background: 1, previous: 2 } as const;

/** A frame of an animated PNG (third edition, 11.3.6.2). */
export interface ApngFrame {
  left: number;
  top: number;
  width: number;
  height: number;
  /** Milliseconds. */
  delay: number;
  /** Of {@link DISPOSE}. */
  dispose: number;
  /** True to draw it over what is there, false to replace that. */
  blends: boolean;
  /** The frame as a still PNG. */
  png: Buffer;
}

/** An animated PNG. */
export interface Apng {
  width: number;
  height: number;
  /** Repetitions; 0: endless. */
  loop: number;
  /** True if the picture for programs without animation is no frame. */
  hidesPicture: boolean;
  frames: ApngFrame[];
}

/** Chunks before the pixels that decide how they look. */
const SHARED = new Set(['PLTE', 'tRNS', 'gAMA', 'cHRM', 'sRGB', 'iCCP', 'cICP', 'sBIT']);
const FRAME_BYTES = 26;

interface OpenFrame extends Omit<ApngFrame, 'png'> {
  data: Buffer[];
}

/**
 * Reads the frames of an animated PNG.
 * @param most frames to read
 * @returns null for a still, or a structure that is not understood
 */
export function readApng(file: Buffer, most: number): Apng | null {
  if (!file.subarray(0, 8).equals(PNG_SIGNATURE) || file.length < 33) return null;
  const [width, height] = [file.readUInt32BE(16), file.readUInt32BE(20)];
  const shared: Buffer[] = [];
  const frames: OpenFrame[] = [];
  let [loop, declared, hidesPicture] = [0, 0, false];
  for (let at = 8; at + 12 <= file.length; ) {
    const end = at + 12 + file.readUInt32BE(at);
    if (end > file.length) break;
    const [type, data] = [file.toString('latin1', at + 4, at + 8), file.subarray(at + 8, end - 4)];
    const current = frames.at(-1);
    if (type === 'acTL' && data.length >= 8) [declared, loop] = [data.readUInt32BE(0), data.readUInt32BE(4)];
    else if (SHARED.has(type)) shared.push(file.subarray(at, end));
    else if (type === 'fcTL') {
      if (frames.length === Math.min(most, declared)) break;
      const frame = readFrame(data, width, height);
      if (!frame) break;
      frames.push(frame);
    } else if (type === 'IDAT') {
      // An animation must be declared before its pixels.
      if (declared === 0) return null;
      if (current) current.data.push(data);
      else hidesPicture = true;
    } else if (type === 'fdAT') current?.data.push(data.subarray(4));
    else if (type === 'IEND') break;
    at = end;
  }
  const whole = frames.filter(({ data }) => data.length > 0);
  if (whole.length === 0) return null;
  const head = file.subarray(16, 29);
  const finished = whole.map(({ data, ...frame }) => ({ ...frame, png: stillOf(head, frame, shared, data) }));
  return { width, height, loop, hidesPicture, frames: finished };
}

function readFrame(data: Buffer, canvasWidth: number, canvasHeight: number): OpenFrame | null {
  if (data.length < FRAME_BYTES) return null;
  const [width = 0, height = 0, left = 0, top = 0] = [4, 8, 12, 16].map((at) => data.readUInt32BE(at));
  if (width === 0 || height === 0 || left + width > canvasWidth || top + height > canvasHeight) return null;
  // A denominator of 0 means hundredths.
  const delay = Math.round((data.readUInt16BE(20) * 1000) / (data.readUInt16BE(22) || 100));
  return { left, top, width, height, delay, dispose: data[24] ?? 0, blends: data[25] === 1, data: [] };
}

function stillOf(
  head: Buffer,
  { width, height }: { width: number; height: number },
  shared: Buffer[],
  data: Buffer[],
): Buffer {
  const own = Buffer.from(head);
  own.writeUInt32BE(width, 0);
  own.writeUInt32BE(height, 4);
  const pixels = pngChunk('IDAT', Buffer.concat(data));
  return Buffer.concat([PNG_SIGNATURE, pngChunk('IHDR', own), ...shared, pixels, pngChunk('IEND', Buffer.alloc(0))]);
}
