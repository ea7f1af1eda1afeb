import { readFile } from 'node:fs/promises';

/**
 * Tests whether a file is a complete image, as far as its container shows. Other files were cut off or are no images, so
 * that overwriting them loses no work.
 */
export async function isCompleteImage(path: string): Promise<boolean> {
  const bytes = await readFile(path);
  const text = (start: number, end: number) => bytes.toString('latin1', start, end);
  if (text(0, 4) === 'RIFF') return bytes.length > 12 && bytes.readUInt32LE(4) + 8 <= bytes.length;
  if (text(0, 8) === '\x89PNG\r\n\x1a\n') return bytes.lastIndexOf('IEND\xaeB`\x82', undefined, 'latin1') > 0;
  if (text(0, 2) === '\xff\xd8') return bytes.lastIndexOf('\xff\xd9', undefined, 'latin1') > 0;
  if (text(4, 8) === 'ftyp') return hasCompleteBoxes(bytes);
  return /^(GIF8|II\*\0|MM\0\*|BM|<svg|<\?xml)/.test(text(0, 5));
}

/** Tests whether the boxes (ISO/IEC 14496-12) end with the file. Size 0 means up to the end, 1 a 64-bit size. */
function hasCompleteBoxes(bytes: Buffer): boolean {
  let offset = 0;
  while (offset + 8 <= bytes.length) {
    const short = bytes.readUInt32BE(offset);
    if (short === 0) return true;
    const size = short === 1 && offset + 16 <= bytes.length ? Number(bytes.readBigUInt64BE(offset + 8)) : short;
    if (size < 8) return false;
    offset += size;
  }
  return offset === bytes.length;
}
