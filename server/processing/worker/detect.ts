import { open } from 'node:fs/promises';
import { INPUT_FORMATS, type InputFormat } from '#contract/constants';
import { ProcessingFailure } from '../shared/failure.ts';

const SUPPORTED = INPUT_FORMATS.join(', ');
const HEIF_BRANDS = new Set(['heic', 'heix', 'hevc', 'hevx', 'heim', 'heis', 'mif1', 'msf1']);

/**
 * Detects the format of a file by its first bytes.
 * @throws unsupported_image (details: detected, supported) for everything that is not accepted
 */
export async function detectFormat(file: string): Promise<InputFormat> {
  const head = await readHead(file, 4096);
  const format = supportedFormat(head);
  if (format !== null) return format;
  const detected = foreignFormat(head) ?? (await otherFormat(head));
  throw new ProcessingFailure('unsupported_image', advice(detected), { detected, supported: [...INPUT_FORMATS] });
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

/** Signatures of the readable formats: `text` is the head's first 64 bytes as Latin-1. */
const SIGNATURES = {
  jpeg: (text) => text.startsWith('\xff\xd8\xff'),
  png: (text) => text.startsWith('\x89PNG\r\n\x1a\n'),
  webp: (text) => text.startsWith('RIFF') && text.slice(8, 12) === 'WEBP',
  gif: (text) => /^GIF8[79]a/.test(text),
  tiff: (text) => /^(?:II[*+]\0|MM\0[*+])/.test(text),
  avif: (_text, head) => brands(head).some((brand) => brand === 'avif' || brand === 'avis'),
} satisfies Record<InputFormat, (text: string, head: Buffer) => boolean>;

function supportedFormat(head: Buffer): InputFormat | null {
  const text = head.toString('latin1', 0, 64);
  return INPUT_FORMATS.find((format) => SIGNATURES[format](text, head)) ?? null;
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
  if (brands(head).some((brand) => HEIF_BRANDS.has(brand))) return 'heic';
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

function advice(detected: string): string {
  switch (detected) {
    case 'heic':
      return `HEIC images cannot be read; export the photo as JPEG first (expected one of: ${SUPPORTED})`;
    case 'svg':
      return `SVG images are not accepted; deliver them as they are or export a PNG first (expected one of: ${SUPPORTED})`;
    case 'an empty file':
      return `The file is empty (expected one of: ${SUPPORTED})`;
    case 'unknown':
      return `The file is not an image that can be recognised (expected one of: ${SUPPORTED})`;
    default:
      return `Expected an image of the format ${SUPPORTED}, but received ${detected}`;
  }
}
