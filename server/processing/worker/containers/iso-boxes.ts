/** A box of an ISO base media file (ISO 14496-12). */
export interface Box {
  type: string;
  /** Positions in the file: start of the box, start and end of its content. */
  at: number;
  start: number;
  end: number;
}

/** Most boxes in a row. Files with millions of empty ones took all of the memory of their process. */
const MOST_BOXES = 65_536;

/** Thrown for more boxes in a row than any picture has. */
export class TooManyBoxes extends RangeError {}

/** Reads consecutive boxes. @throws RangeError if one exceeds the given range, or there are more than 65,536 */
export function readBoxes(file: Buffer, from: number, to: number): Box[] {
  const boxes: Box[] = [];
  for (let at = from; at < to; ) {
    if (boxes.length === MOST_BOXES) throw new TooManyBoxes('boxes');
    const short = file.readUInt32BE(at);
    const header = short === 1 ? 16 : 8;
    const length = short === 1 ? Number(file.readBigUInt64BE(at + 8)) : short === 0 ? to - at : short;
    if (length < header || at + length > to) throw new RangeError('box');
    boxes.push({ type: file.toString('latin1', at + 4, at + 8), at, start: at + header, end: at + length });
    at += length;
  }
  return boxes;
}

/** Converts a box to free space, which readers skip. */
export function blankBox(file: Buffer, box: Box): void {
  file.fill(0, box.start, box.end);
  file.write('free', box.at + 4, 'latin1');
}
