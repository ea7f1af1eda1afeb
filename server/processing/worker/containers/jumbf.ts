import { type Box, readBoxes } from './iso-boxes.ts';

/** A superbox of JUMBF (ISO 19566-5): its label, its superboxes and its other boxes. */
export interface Superbox {
  label: string;
  children: Superbox[];
  contents: { type: string; data: Buffer }[];
}

const MAX_DEPTH = 8;
/** Most boxes of all superboxes. Real credentials have some hundred. */
const MAX_BOXES = 65_536;
const UUID_BYTES = 16;
/** Flag of a description that has a label. */
const LABELLED = 0x02;

/** Reads the superboxes of a JUMBF. @throws RangeError if it is anything else */
export function readSuperboxes(data: Buffer): Superbox[] {
  const count = { boxes: 0 };
  return readBoxes(data, 0, data.length).map((box) => readSuperbox(data, box, { depth: 0, count }));
}

/** Place of a superbox within the others, and the boxes of all of them so far. */
interface Level {
  depth: number;
  count: { boxes: number };
}

function readSuperbox(data: Buffer, { type, start, end }: Box, { depth, count }: Level): Superbox {
  const [description, ...boxes] = type === 'jumb' && depth < MAX_DEPTH ? readBoxes(data, start, end) : [];
  count.boxes += boxes.length;
  if (count.boxes > MAX_BOXES) throw new RangeError('boxes');
  if (description?.type !== 'jumd') throw new RangeError('superbox');
  const inner = boxes.filter((box) => box.type === 'jumb');
  return {
    label: labelOf(data.subarray(description.start, description.end)),
    children: inner.map((box) => readSuperbox(data, box, { depth: depth + 1, count })),
    contents: boxes
      .filter((box) => box.type !== 'jumb')
      .map((box) => ({ type: box.type, data: data.subarray(box.start, box.end) })),
  };
}

function labelOf(description: Buffer): string {
  if (((description[UUID_BYTES] ?? 0) & LABELLED) === 0) return '';
  const end = description.indexOf(0, UUID_BYTES + 1);
  if (end < 0) throw new RangeError('label');
  return description.toString('utf8', UUID_BYTES + 1, end);
}
