/** A box of an ISO base media file (ISO 14496-12). */
export interface Box {
  type: string;
  /** Positions in the file: of the box, of its content, and behind it. */
  at: number;
  start: number;
  end: number;
}

/** Reads the boxes that stand one behind the other. @throws RangeError when one leaves its place */
export function readBoxes(file: Buffer, from: number, to: number): Box[] {
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

/** Makes a box one that readers skip. */
export function blankBox(file: Buffer, box: Box): void {
  file.fill(0, box.start, box.end);
  file.write('free', box.at + 4, 'latin1');
}
