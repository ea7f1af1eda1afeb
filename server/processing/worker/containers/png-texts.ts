import { inflateSync } from 'node:zlib';

/** A text chunk of a PNG (third edition, 11.3.3). */
export interface PngText {
  keyword: string;
  text: Buffer;
}

/** Most bytes of a text, unpacked. */
const MAX_TEXT_BYTES = 1024 * 1024;
/** Most bytes of all texts, unpacked, and most chunks that are looked at. */
const MAX_BYTES = 4 * MAX_TEXT_BYTES;
const MAX_CHUNKS = 20_000;

/** Reads the texts of a PNG, packed ones too. Those that are damaged or too large are left out. */
export function readPngTexts(file: Buffer): PngText[] {
  const texts: PngText[] = [];
  let bytes = 0;
  for (let at = 8, count = 0; at + 12 <= file.length && count < MAX_CHUNKS && bytes < MAX_BYTES; count += 1) {
    const end = at + 12 + file.readUInt32BE(at);
    const text =
      end <= file.length ? readText(file.toString('latin1', at + 4, at + 8), file.subarray(at + 8, end - 4)) : null;
    if (text) texts.push(text);
    bytes += text?.text.length ?? 0;
    at = end;
  }
  return texts;
}

function readText(type: string, data: Buffer): PngText | null {
  const end = data.indexOf(0);
  if (end < 0 || (type !== 'tEXt' && type !== 'zTXt' && type !== 'iTXt')) return null;
  const keyword = data.toString('latin1', 0, end);
  try {
    if (type === 'tEXt') return { keyword, text: data.subarray(end + 1) };
    if (type === 'zTXt') return { keyword, text: unpacked(data.subarray(end + 2)) };
    // A flag and a method, then the language and the translated keyword.
    const text = data.subarray(data.indexOf(0, data.indexOf(0, end + 3) + 1) + 1);
    return { keyword, text: data[end + 1] === 1 ? unpacked(text) : text };
  } catch {
    return null;
  }
}

function unpacked(data: Buffer): Buffer {
  return inflateSync(data, { maxOutputLength: MAX_TEXT_BYTES });
}

/** Blocks of metadata that programs write into texts of a PNG. */
export interface PngBlocks {
  exif?: Buffer;
  xmp?: string;
  iptc?: Buffer;
}

/** Reads the profiles of ImageMagick, a name, a length and hexadecimal digits, and XMP. The first of a kind counts. */
export function pngBlocks(texts: PngText[]): PngBlocks {
  const blocks: PngBlocks = {};
  for (const { keyword, text } of texts) {
    if (keyword === 'XML:com.adobe.xmp') blocks.xmp ??= text.toString('utf8');
    const kind = /^Raw profile type (exif|app1|xmp|iptc|8bim)$/i.exec(keyword)?.[1]?.toLowerCase();
    const profile = kind && rawProfile(text);
    if (!profile) continue;
    if (kind === 'iptc' || kind === '8bim') blocks.iptc ??= profile;
    else if (kind === 'xmp' || profile.toString('latin1', 0, 5) === 'http:')
      blocks.xmp ??= profile.toString('utf8', profile.indexOf(0, 0) + 1 || 0);
    else blocks.exif ??= profile;
  }
  return blocks;
}

function rawProfile(text: Buffer): Buffer | null {
  const [, digits] = /^\s*[\w-]+\s+\d+\s([\da-f\s]*)/i.exec(text.toString('latin1')) ?? [];
  return digits === undefined ? null : Buffer.from(digits.replace(/\s/g, ''), 'hex');
}
