import { deflateSync } from 'node:zlib';
import type { InputFormat } from '#contract';
import { blankAvif } from './avif.ts';
import type { ContainerMetadata } from './container-metadata.ts';
import { rewriteGif } from './gif.ts';
import { rewriteJpeg } from './jpeg.ts';
import { PNG_SIGNATURE, pngChunk } from './png-chunk.ts';
import { blankTiff } from './tiff.ts';
import { rewriteWebp } from './webp.ts';

/**
 * Removes everything private from a file without changing its pixels, and writes the given metadata: into AVIF and TIFF as far as it
 * fits where the file has its own, into GIF not at all.
 * @param keepAttribution keeps a TIFF's own artist and copyright
 * @returns null if the file's structure is not understood, so that the file must not be delivered
 */
export function rewriteContainer(
  format: InputFormat,
  file: Buffer,
  metadata: ContainerMetadata,
  keepAttribution: boolean,
): Buffer | null {
  switch (format) {
    case 'jpeg':
      return rewriteJpeg(file, metadata);
    case 'png':
      return rewritePng(file, metadata);
    case 'webp':
      return rewriteWebp(file, metadata);
    case 'gif':
      return rewriteGif(file);
    case 'avif':
      return blankAvif(file, metadata);
    case 'tiff':
      return blankTiff(file, keepAttribution, metadata.xmp);
    case 'heic':
      // Never delivered.
      return null;
  }
}

/** Chunks that determine the appearance of the pixels; all others are private or unknown. */
const KEPT = new Set([
  ...['IHDR', 'PLTE', 'IDAT', 'tRNS', 'gAMA', 'cHRM', 'sRGB', 'iCCP', 'cICP', 'mDCV', 'cLLI', 'sBIT', 'bKGD', 'pHYs'],
  ...['acTL', 'fcTL', 'fdAT'],
]);

/**
 * Copies a PNG without re-encoding it (PNG third edition): drops text, EXIF, time and unknown chunks and the bytes after the end,
 * keeps colour and animation chunks, and writes the given metadata.
 * @returns null if the file is not a well-formed PNG
 */
function rewritePng(file: Buffer, metadata: ContainerMetadata): Buffer | null {
  if (!file.subarray(0, 8).equals(PNG_SIGNATURE)) return null;
  const parts: Buffer[] = [PNG_SIGNATURE];
  let wroteMetadata = false;
  for (let at = 8; at + 12 <= file.length; ) {
    const end = at + 12 + file.readUInt32BE(at);
    if (end > file.length) return null;
    const type = file.toString('latin1', at + 4, at + 8);
    if (type === 'IEND') return Buffer.concat([...parts, pngChunk('IEND', Buffer.alloc(0))]);
    if (type === 'IDAT' && !wroteMetadata) {
      wroteMetadata = true;
      if (metadata.exif) parts.push(pngChunk('eXIf', metadata.exif));
      if (metadata.xmp) parts.push(pngChunk('iTXt', internationalText(metadata.xmp, metadata.compact ?? false)));
    }
    if (KEPT.has(type)) parts.push(file.subarray(at, end));
    at = end;
  }
  return null;
}

/** Keyword, compression flag and method, no language, no translated keyword, text (11.3.3.4). */
function internationalText(packet: string, compact: boolean): Buffer {
  const head = Buffer.from(`XML:com.adobe.xmp\0${compact ? '\x01' : '\0'}\0\0\0`, 'latin1');
  const text = Buffer.from(packet, 'utf8');
  return Buffer.concat([head, compact ? deflateSync(text) : text]);
}
