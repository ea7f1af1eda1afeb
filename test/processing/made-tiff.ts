/** A tag of a generated TIFF: a number in the entry itself, or bytes outside of it. */
export interface MadeTag {
  tag: number;
  type: number;
  value: number | Buffer | string;
  /** Count written to the entry. @default the real count */
  count?: number;
  /** Offset written to the entry. @default the real offset */
  at?: number;
}

const TYPE_BYTES = [0, 1, 1, 2, 4];

/** Tags of a grey picture of 2 x 2 pixels, which {@link makeTiff} writes after everything else. */
function greyTags(pixelsAt: number): MadeTag[] {
  const numbers = [
    [256, 2],
    [257, 2],
    [258, 8],
    [259, 1],
    [262, 1],
    [277, 1],
    [278, 2],
    [279, 4],
  ];
  const tags: MadeTag[] = numbers.map(([tag = 0, value = 0]) => ({ tag, type: 3, value }));
  return [...tags, { tag: 273, type: 4, value: pixelsAt }];
}

/** Builds a TIFF or BigTIFF with one directory of these tags, followed by the values in order and the four pixels. */
export function makeTiff(extra: MadeTag[], { big = false } = {}): { file: Buffer; pixelsAt: number } {
  const [headBytes, countBytes, offsetBytes] = big ? [16, 8, 8] : [8, 2, 4];
  const entryBytes = 4 + 2 * offsetBytes;
  const directoryBytes = countBytes + (extra.length + 9) * entryBytes + offsetBytes;
  const valueBytes = extra.reduce(
    (sum, { value }) => sum + (typeof value === 'number' ? 0 : Buffer.byteLength(value)),
    0,
  );
  const pixelsAt = headBytes + directoryBytes + valueBytes;
  const tags = [...extra, ...greyTags(pixelsAt)].sort((a, b) => a.tag - b.tag);
  const file = Buffer.alloc(pixelsAt + 4);
  const put = (value: number, at: number): void => {
    file.writeUInt32LE(value, at);
  };
  file.write('II', 0, 'latin1');
  file.writeUInt16LE(big ? 43 : 42, 2);
  if (big) file.writeUInt16LE(8, 4);
  put(headBytes, big ? 8 : 4);
  file.writeUInt16LE(tags.length, headBytes);
  let free = headBytes + directoryBytes;
  for (const [index, { tag, type, value, count, at }] of tags.entries()) {
    const entry = headBytes + countBytes + index * entryBytes;
    const bytes = typeof value === 'number' ? null : Buffer.from(value);
    file.writeUInt16LE(tag, entry);
    file.writeUInt16LE(type, entry + 2);
    put(count ?? (bytes ? bytes.length / (TYPE_BYTES[type] ?? 1) : 1), entry + 4);
    put(typeof value === 'number' ? value : (at ?? free), entry + 4 + offsetBytes);
    bytes?.copy(file, free);
    free += bytes?.length ?? 0;
  }
  file.set([10, 90, 170, 250], pixelsAt);
  return { file, pixelsAt };
}
