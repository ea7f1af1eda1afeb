import { open } from 'node:fs/promises';
import { FORMATS, type InputFormat } from '#contract/constants';
import { ProcessingFailure } from '../shared/failure.ts';

const HEIF_BRANDS = new Set(['heic', 'heix', 'hevc', 'hevx', 'heim', 'heis', 'mif1', 'msf1']);

/**
 * Detects the format of a file by its first bytes.
 * @param supported formats that uploads may have
 * @throws unsupported_image (details: detected, supported) for everything that is not accepted
 */
export async function detectFormat(file: string, supported: readonly InputFormat[]): Promise<InputFormat> {
  const head = await readHead(file, 4096);
  const format = knownFormat(head);
  if (format !== null && supported.includes(format)) return format;
  const detected = format ?? foreignFormat(head) ?? (await otherFormat(head));
  throw unsupportedImage(detected, supported);
}

/** Creates the refusal of a format. @param supported formats that uploads may have */
export function unsupportedImage(detected: string, supported: readonly InputFormat[]): ProcessingFailure {
  return new ProcessingFailure('unsupported_image', advice(detected, supported.join(', ')), {
    detected,
    supported: [...supported],
  });
}

async function readHead(file: string, length: number): Promise<Buffer> {
  const handle = await open(file, 'r');
  try {
    const buffer = Buffer.alloc(length);
    const { bytesRead } = await handle.read(buffer, 0, length, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** Signatures of the formats, the first that fits counts (AVIF has brands of HEIC, too): `text` is the head's first 64 bytes as Latin-1. */
const SIGNATURES = {
  jpeg: (text) => text.startsWith('\xff\xd8\xff'),
  png: (text) => text.startsWith('\x89PNG\r\n\x1a\n'),
  webp: (text) => text.startsWith('RIFF') && text.slice(8, 12) === 'WEBP',
  gif: (text) => /^GIF8[79]a/.test(text),
  tiff: (text) => /^(?:II[*+]\0|MM\0[*+])/.test(text),
  avif: (_text, head) => brands(head).some((brand) => brand === 'avif' || brand === 'avis'),
  heic: (_text, head) => brands(head).some((brand) => HEIF_BRANDS.has(brand)),
} satisfies Record<InputFormat, (text: string, head: Buffer) => boolean>;

function knownFormat(head: Buffer): InputFormat | null {
  const text = head.toString('latin1', 0, 64);
  const formats = Object.keys(FORMATS) as InputFormat[];
  return formats.find((format) => SIGNATURES[format](text, head)) ?? null;
}

/** Reads the major and compatible brands of an ISO base media file (ISO 14496-12). Other files have none. */
function brands(head: Buffer): string[] {
  if (head.length < 16 || head.toString('latin1', 4, 8) !== 'ftyp') return [];
  const end = Math.min(head.readUInt32BE(0), head.length, 256);
  const found = [head.toString('latin1', 8, 12)];
  for (let at = 16; at + 4 <= end; at += 4) found.push(head.toString('latin1', at, at + 4));
  return found;
}

function foreignFormat(head: Buffer): string | null {
  if (head.length === 0) return 'an empty file';
  const text = head.toString('latin1');
  if (/<svg[\s>]/i.test(text) || /<!DOCTYPE\s+svg/i.test(text)) return 'svg';
  if (/^\s*(?:<!DOCTYPE html|<html)/i.test(text)) return 'html';
  return null;
}

async function otherFormat(head: Buffer): Promise<string> {
  // Loaded only to name the refused format.
  const { fileTypeFromBuffer } = await import('file-type');
  const type = await fileTypeFromBuffer(head).catch(() => undefined);
  if (type) return type.ext;
  return /^[\t\n\r\p{L}\p{P}\p{S}\p{N}\p{Zs}]*$/u.test(head.toString('utf8', 0, 512)) ? 'text' : 'unknown';
}

function advice(detected: string, supported: string): string {
  switch (detected) {
    case 'heic':
      return `HEIC images are not read here: export the photo as JPEG first, or ask the operator of the service to set HEIC_INPUT=on (expected one of: ${supported})`;
    case 'svg':
      return `SVG images are not accepted; deliver them as they are or export a PNG first (expected one of: ${supported})`;
    case 'an empty file':
      return `The file is empty (expected one of: ${supported})`;
    case 'unknown':
      return `The file is not an image that can be recognised (expected one of: ${supported})`;
    default:
      return `Expected an image of the format ${supported}, but received ${detected}`;
  }
}
