import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { HeifError, LibHeif, Plane, Pointer } from 'libheif-js/libheif-wasm/libheif.js';
import { damagedFile, ProcessingFailure } from '../../shared/failure.ts';

/** Properties of a HEIC's main picture, from its header. */
export interface HeicHeader {
  width: number;
  height: number;
  hasAlpha: boolean;
  /** True for more than 8 bits. */
  isDeep: boolean;
  icc: Buffer | undefined;
}

/** Most memory that decoding takes beside the file, in bytes a pixel of the header: 10 bits without subsampling, with alpha. */
const MOST_BYTES = 40;

/**
 * Decodes the main picture of a HEIC with libheif into an uncompressed TIFF: turned and mirrored as the file says, red, green and blue of its own colour
 * space, more than 8 bits as 16.
 * @throws invalid_image, also if the coded picture is larger than the header says
 */
export async function decodeHeic(file: Buffer, header: HeicHeader): Promise<Buffer> {
  const library = await startLibHeif(file.length * 2 + header.width * header.height * MOST_BYTES);
  try {
    return decodeWith(library, file, header);
  } catch (error) {
    if (error instanceof ProcessingFailure) throw error;
    // A trap of WebAssembly or an exception of C++.
    throw damagedFile(error instanceof Error ? error.message : String(error), error);
  } finally {
    // The memory of the instance is large, and nothing else would free it soon.
    setImmediate(() => globalThis.gc?.());
  }
}

function decodeWith(library: LibHeif, file: Buffer, header: HeicHeader): Buffer {
  const { heif_channel, heif_chroma, heif_colorspace, heif_error_code } = library;
  const context = library.heif_context_alloc();
  const read = library.heif_context_read_from_memory(context, file);
  if (read.code !== heif_error_code.heif_error_Ok) throw asFailure(read);
  const handle = orThrow(library.heif_js_context_get_primary_image_handle(context));
  const { isDeep, hasAlpha } = header;
  refuseOtherSize(header, {
    width: library.heif_image_handle_get_width(handle),
    height: library.heif_image_handle_get_height(handle),
  });
  const chroma = isDeep
    ? heif_chroma[`heif_chroma_interleaved_${hasAlpha ? 'RRGGBBAA' : 'RRGGBB'}_LE`]
    : heif_chroma[`heif_chroma_interleaved_${hasAlpha ? 'RGBA' : 'RGB'}`];
  const { channels } = orThrow(library.heif_js_decode_image2(handle, heif_colorspace.heif_colorspace_RGB, chroma));
  const plane = channels.find(({ id }) => id === heif_channel.heif_channel_interleaved);
  if (!plane) throw damagedFile('unsupported colours');
  refuseOtherSize(header, plane);
  return tiffOf(plane, header);
}

function refuseOtherSize(said: HeicHeader, { width, height }: { width: number; height: number }): void {
  if (width === said.width && height === said.height) return;
  const sizes = `${width} x ${height}, not the ${said.width} x ${said.height} of its header`;
  throw new ProcessingFailure('invalid_image', `The file is damaged: its picture has ${sizes}`);
}

/** Copies the samples out of the memory of the instance, whose rows may be longer. */
function tiffOf(plane: Plane, { width, height, isDeep, hasAlpha, icc }: HeicHeader): Buffer {
  const channels = hasAlpha ? 4 : 3;
  const { file, samples } = createTiff({ width, height, channels, bits: isDeep ? 16 : 8 }, icc);
  const rowBytes = samples.length / height;
  for (let row = 0; row < height; row += 1) {
    samples.set(plane.data.subarray(row * plane.stride, row * plane.stride + rowBytes), row * rowBytes);
  }
  if (isDeep) spread(samples, plane.bits_per_pixel);
  return file;
}

/** Spreads samples of some bits over 16, in place. */
function spread(samples: Buffer, bits: number): void {
  const most = 2 ** bits - 1;
  const table = Uint16Array.from({ length: most + 1 }, (_, value) => Math.round((value * 65_535) / most));
  const values = new Uint16Array(samples.buffer, samples.byteOffset, samples.length / 2);
  for (let at = 0; at < values.length; at += 1) values[at] = table[values[at] ?? 0] ?? 65_535;
}

function orThrow<Result extends Pointer>(result: Result | HeifError): Result {
  if ('code' in result) throw asFailure(result);
  return result;
}

function asFailure({ message = '' }: HeifError): ProcessingFailure {
  return damagedFile(message, new Error(`heif: ${message}`));
}

/** A memory of WebAssembly. Node's types leave WebAssembly to those of browsers. */
interface Memory {
  buffer: ArrayBuffer;
  grow(pages: number): number;
}

declare const WebAssembly: {
  compile(code: Buffer): Promise<object>;
  Instance: new (code: object, imports: object) => { exports: object };
  Memory: new () => Memory;
};

/** Memory of a new instance of the library, in bytes. */
const START_BYTES = 32_000_000;
/** A page of WebAssembly's memory. */
const PAGE_BYTES = 65_536;

let loaded: ReturnType<typeof load> | undefined;

/**
 * Starts an instance of the library. Each has a memory of its own, which ends with it, and which never takes more than the given bytes: then
 * the library reports that it has none left. The package is loaded at the first call.
 */
async function startLibHeif(bytes: number): Promise<LibHeif> {
  loaded ??= load();
  const { create, code } = await loaded;
  const silent = () => {};
  return create({
    print: silent,
    printErr: silent,
    instantiateWasm(imports, receive) {
      const instance = new WebAssembly.Instance(code, imports);
      limitMemory(instance.exports, START_BYTES + bytes);
      receive(instance, code);
      return instance.exports;
    },
  });
}

/** Compiles the code, once for all instances. */
async function load() {
  const { default: create } = await import('libheif-js/libheif-wasm/libheif.js');
  const file = createRequire(import.meta.url).resolve('libheif-js/libheif-wasm/libheif.wasm');
  return { create, code: await WebAssembly.compile(await readFile(file)) };
}

function limitMemory(exports: object, most: number): void {
  const memory: unknown = Object.values(exports).find((one) => one instanceof WebAssembly.Memory);
  if (!(memory instanceof WebAssembly.Memory)) throw new Error('expected the memory of libheif among its exports');
  const grow = memory.grow.bind(memory);
  memory.grow = (pages) => {
    if (memory.buffer.byteLength + pages * PAGE_BYTES > most) throw new RangeError('the memory is used up');
    return grow(pages);
  };
}

/** Size of a picture: red, green, blue and perhaps alpha, 8 bits each, or 16 bits in little-endian order. */
interface PlainSize {
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
function createTiff(
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
