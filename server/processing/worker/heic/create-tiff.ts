/** Size of a picture: red, green, blue and perhaps alpha, 8 bits each, or 16 bits in little-endian order. */
export interface PlainSize {
  width: number;
  height: number;
  channels: 3 | 4;
  bits: 8 | 16;
}

/** The decoder of TIFF reads a strip at a time. */
const STRIP_BYTES = 4_000_000;
const HEADER_BYTES = 8;
const ENTRY_BYTES = 12;
const SHORT = 3;
const LONG = 4;
const UNDEFINED = 7;
const VALUE_BYTES = { [SHORT]: 2, [LONG]: 4, [UNDEFINED]: 1 } as const;
/** Alpha by which the colours are not multiplied. */
const UNASSOCIATED = 2;

interface Entry {
  tag: number;
  type: keyof typeof VALUE_BYTES;
  values: number[] | Buffer;
}

/**
 * Creates an uncompressed TIFF (6.0, little-endian) with a colour profile, which the library opens from memory.
 * @returns the file, and the part of it that its samples have to be written into
 */
export function createTiff(
  { width, height, channels, bits }: PlainSize,
  icc: Buffer | undefined,
): { file: Buffer; samples: Buffer } {
  const rowBytes = (width * channels * bits) / 8;
  const rows = Math.max(1, Math.floor(STRIP_BYTES / rowBytes));
  const strips = Array.from({ length: Math.ceil(height / rows) }, (_, index) => ({
    offset: HEADER_BYTES + index * rows * rowBytes,
    length: Math.min(rows, height - index * rows) * rowBytes,
  }));
  const short = (tag: number, ...values: number[]): Entry => ({ tag, type: SHORT, values });
  const long = (tag: number, ...values: number[]): Entry => ({ tag, type: LONG, values });
  const entries: Entry[] = [
    long(256, width),
    long(257, height),
    short(258, ...Array<number>(channels).fill(bits)),
    short(259, 1), // No compression.
    short(262, 2), // RGB.
    long(273, ...strips.map(({ offset }) => offset)),
    short(277, channels),
    long(278, rows),
    long(279, ...strips.map(({ length }) => length)),
    short(284, 1), // Samples of a pixel stand together.
    ...(channels === 4 ? [short(338, UNASSOCIATED)] : []),
    ...(icc ? [{ tag: 34_675, type: UNDEFINED, values: icc } as const] : []),
  ];
  const samplesEnd = HEADER_BYTES + height * rowBytes;
  const at = samplesEnd + (samplesEnd % 2);
  const table = directory(entries, at);
  const file = Buffer.alloc(at + table.length);
  file.write('II*\0', 'latin1');
  file.writeUInt32LE(at, 4);
  table.copy(file, at);
  return { file, samples: file.subarray(HEADER_BYTES, samplesEnd) };
}

function directory(entries: Entry[], at: number): Buffer {
  const table = Buffer.alloc(2 + entries.length * ENTRY_BYTES + 4);
  table.writeUInt16LE(entries.length, 0);
  const outside: Buffer[] = [];
  let next = at + table.length;
  for (const [index, { tag, type, values }] of entries.entries()) {
    const bytes = Buffer.isBuffer(values) ? values : numbers(values, VALUE_BYTES[type]);
    const entry = 2 + index * ENTRY_BYTES;
    table.writeUInt16LE(tag, entry);
    table.writeUInt16LE(type, entry + 2);
    table.writeUInt32LE(values.length, entry + 4);
    if (bytes.length <= 4) bytes.copy(table, entry + 8);
    else {
      table.writeUInt32LE(next, entry + 8);
      outside.push(bytes, Buffer.alloc(bytes.length % 2));
      next += bytes.length + (bytes.length % 2);
    }
  }
  return Buffer.concat([table, ...outside]);
}

function numbers(values: number[], bytes: number): Buffer {
  const data = Buffer.alloc(values.length * bytes);
  for (const [index, value] of values.entries()) data.writeUIntLE(value, index * bytes, bytes);
  return data;
}
