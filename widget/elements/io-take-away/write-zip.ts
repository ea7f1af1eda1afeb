/** A file of a ZIP. */
export interface ZipFile {
  name: string;
  data: Blob;
}

/** Sizes and places are written with 32 bits. */
const MOST_BYTES = 0xffffffff;
/** Names are UTF-8. */
const FLAGS = 0x800;
const VERSION = 20;
/** From here on the number of files is written with 64 bits. */
const MANY = 0xffff;

/**
 * Writes a ZIP, file by file as they come. Files are stored as they are, since images do not become smaller.
 * @throws RangeError beyond 4 GB
 */
export function writeZip(files: AsyncIterable<ZipFile>): ReadableStream<Uint8Array<ArrayBuffer>> {
  const parts = writeParts(files);
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await parts.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
}

async function* writeParts(files: AsyncIterable<ZipFile>): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  const directory: Uint8Array<ArrayBuffer>[] = [];
  let at = 0;
  for await (const { name, data } of files) {
    const bytes = new Uint8Array(await data.arrayBuffer());
    const title = new TextEncoder().encode(name);
    // Version, flags, method, time and day (1980-01-01), checksum, sizes, length of the name, extra fields.
    const facts = [VERSION, FLAGS, 0, 0, 33, [checksum(bytes)], [bytes.length], [bytes.length], title.length, 0];
    const entry = [record(0x04034b50, facts), title, bytes];
    directory.push(record(0x02014b50, [VERSION, ...facts, 0, 0, 0, [0], [at]]), title);
    for (const part of entry) {
      at += part.length;
      yield part;
    }
    if (at > MOST_BYTES) throw new RangeError('More than 4 GB');
  }
  const count = directory.length / 2;
  const size = directory.reduce((sum, { length }) => sum + length, 0);
  yield* directory;
  if (count >= MANY) {
    const facts = [[44], [0], 45, 45, [0], [0], [count], [0], [count], [0], [size], [0], [at], [0]];
    yield record(0x06064b50, facts);
    yield record(0x07064b50, [[0], [at + size], [0], [1]]);
  }
  const most = Math.min(count, MANY);
  yield record(0x06054b50, [0, 0, most, most, [size], [at], 0]);
}

/** Returns a record: its signature, then numbers of 16 bits or, in brackets, of 32. */
function record(signature: number, fields: readonly (number | number[])[]): Uint8Array<ArrayBuffer> {
  const bytes = [[signature], ...fields].flatMap((field) => {
    const [value = 0, length] = typeof field === 'number' ? [field, 2] : [field[0], 4];
    return Array.from({ length }, (_, index) => (value >>> (8 * index)) & 255);
  });
  return new Uint8Array(bytes);
}

const TABLE = /* @__PURE__ */ Uint32Array.from({ length: 256 }, (_, value) => {
  let sum = value;
  for (let bit = 0; bit < 8; bit += 1) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
  return sum;
});

/** CRC-32 of a file. */
function checksum(bytes: Uint8Array): number {
  let sum = -1;
  for (const byte of bytes) sum = (sum >>> 8) ^ (TABLE[(sum ^ byte) & 255] as number);
  return ~sum >>> 0;
}
