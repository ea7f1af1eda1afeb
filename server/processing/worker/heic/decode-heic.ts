import type { HeifError, LibHeif, Plane, Pointer } from 'libheif-js/libheif-wasm/libheif.js';
import { damagedFile, ProcessingFailure } from '../../shared/failure.ts';
import { createTiff } from './create-tiff.ts';
import { startLibHeif } from './libheif.ts';

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
