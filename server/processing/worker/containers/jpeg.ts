import type { ContainerMetadata } from './container-metadata.ts';

const SOI = 0xd8;
const EOI = 0xd9;
const SOS = 0xda;
const DHT = 0xc4;
const DQT = 0xdb;
const APP0 = 0xe0;
const APP2 = 0xe2;
const APP14 = 0xee;
const APP15 = 0xef;
const COM = 0xfe;
const EXIF_SIGNATURE = Buffer.from('Exif\0\0', 'latin1');
const XMP_SIGNATURE = Buffer.from('http://ns.adobe.com/xap/1.0/\0', 'latin1');
/** Marker, length and the fixed fields; the last two bytes are the thumbnail's width and height. */
const JFIF_BYTES = 18;
/** Largest payload of a segment: its length field has 16 bits and counts itself. */
const MAX_PAYLOAD = 65_533;

/**
 * Copies a JPEG without re-encoding it (ITU-T T.81, annex B): drops EXIF, XMP, IPTC, comments, thumbnails, extra images and the
 * bytes after the end, keeps JFIF, the colour profile and Adobe's colour transform, and writes the given metadata.
 * @returns null if the file is not a well-formed JPEG
 */
export function rewriteJpeg(file: Buffer, metadata: ContainerMetadata): Buffer | null {
  if (file.length < 4 || file[0] !== 0xff || file[1] !== SOI) return null;
  const kept: Buffer[] = [];
  let jfif: Buffer | null = null;
  let at = 2;
  while (at + 4 <= file.length) {
    if (file[at] !== 0xff) return null;
    const marker = file[at + 1] ?? 0;
    // A marker may follow any number of fill bytes.
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === EOI) break;
    const end = at + 2 + file.readUInt16BE(at + 2);
    if (end > file.length) return null;
    const segment = file.subarray(at, end);
    if (marker === APP0 && segment.toString('latin1', 4, 9) === 'JFIF\0') jfif ??= withoutThumbnail(segment);
    else if (isKept(marker, segment)) kept.push(segment);
    at = end;
    if (marker !== SOS) continue;
    const next = endOfScan(file, at);
    if (next === null) return null;
    kept.push(file.subarray(at, next));
    at = next;
    if (file[at + 1] === EOI) return assemble(jfif, metadata, kept);
  }
  return null;
}

/**
 * Makes a rewritten JPEG a few bytes shorter without changing a pixel: joins neighbouring tables, which saves four bytes each, and leaves out
 * the JFIF header, which says no more than the resolution, if that is not enough.
 */
export function shortenJpeg(file: Buffer, mostBytes: number): Buffer {
  const joined = joinTables(file);
  if (joined.length <= mostBytes || joined.toString('latin1', 6, 11) !== 'JFIF\0') return joined;
  return Buffer.concat([joined.subarray(0, 2), joined.subarray(4 + joined.readUInt16BE(4))]);
}

function joinTables(file: Buffer): Buffer {
  const parts: Buffer[] = [file.subarray(0, 2)];
  let at = 2;
  for (let marker = file[at + 1]; marker !== SOS && at + 4 <= file.length; marker = file[at + 1]) {
    const end = at + 2 + file.readUInt16BE(at + 2);
    const [before, segment] = [parts.at(-1) as Buffer, file.subarray(at, end)];
    const isSameTable = (marker === DQT || marker === DHT) && parts.length > 1 && before[1] === marker;
    if (isSameTable && before.length + segment.length <= MAX_PAYLOAD) {
      const one = Buffer.concat([before, segment.subarray(4)]);
      one.writeUInt16BE(one.length - 2, 2);
      parts[parts.length - 1] = one;
    } else parts.push(segment);
    at = end;
  }
  return Buffer.concat([...parts, file.subarray(at)]);
}

function assemble(jfif: Buffer | null, metadata: ContainerMetadata, kept: Buffer[]): Buffer {
  const head = [Buffer.from([0xff, SOI]), ...(jfif ? [jfif] : [])];
  if (metadata.exif) head.push(...app1(EXIF_SIGNATURE, metadata.exif));
  if (metadata.xmp) head.push(...app1(XMP_SIGNATURE, Buffer.from(metadata.xmp, 'utf8')));
  return Buffer.concat([...head, ...kept, Buffer.from([0xff, EOI])]);
}

/** Returns the JFIF header (ISO/IEC 10918-5, 10.1) without its thumbnail, which may show what an editor cropped away. */
function withoutThumbnail(segment: Buffer): Buffer | null {
  // Decoders ignore a shorter one.
  if (segment.length < JFIF_BYTES) return null;
  const header = Buffer.from(segment.subarray(0, JFIF_BYTES));
  header.writeUInt16BE(JFIF_BYTES - 2, 2);
  header.fill(0, JFIF_BYTES - 2);
  return header;
}

function app1(signature: Buffer, payload: Buffer): Buffer[] {
  const length = signature.length + payload.length;
  if (length > MAX_PAYLOAD) return [];
  const head = Buffer.from([0xff, 0xe1, 0, 0]);
  head.writeUInt16BE(length + 2, 2);
  return [head, signature, payload];
}

function isKept(marker: number, segment: Buffer): boolean {
  if (marker === COM) return false;
  if (marker < APP0 || marker > APP15) return true;
  if (marker === APP2) return segment.toString('latin1', 4, 16) === 'ICC_PROFILE\0';
  return marker === APP14 && segment.toString('latin1', 4, 9) === 'Adobe';
}

const SOF2 = 0xc2;
/** Coefficients of a block: one of the mean, 63 of detail. */
const COEFFICIENTS = 64;

/**
 * Looks for the end of a JPEG (ITU-T T.81, annex B).
 * @returns `ended` with its end marker; `unended` if the file stops inside or behind the last scan that its frame needs; else `broken`
 */
export function findJpegEnd(file: Buffer): 'ended' | 'unended' | 'broken' {
  const missing = new Missing();
  for (let at = 2; at + 4 <= file.length; ) {
    if (file[at] !== 0xff) return 'broken';
    const marker = file[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === EOI) return 'ended';
    const end = at + 2 + file.readUInt16BE(at + 2);
    if (end > file.length) return 'broken';
    if (isFrame(marker)) missing.frame(file, at, marker === SOF2);
    if (marker !== SOS) {
      at = end;
      continue;
    }
    missing.scan(file, at);
    const next = endOfScan(file, end);
    if (next === null) return missing.none ? 'unended' : 'broken';
    at = next;
  }
  return file[file.length - 2] === 0xff && file[file.length - 1] === EOI ? 'ended' : 'broken';
}

/** Finds the next marker after entropy-coded data, other than stuffed zeros, restart markers and fill bytes; null at the end of the file. */
export function endOfScan(file: Buffer, from: number): number | null {
  let at = from;
  for (;;) {
    at = file.indexOf(0xff, at);
    if (at < 0 || at + 1 >= file.length) return null;
    const marker = file[at + 1] ?? 0;
    if (marker === 0xff) at += 1;
    else if (marker === 0 || (marker >= 0xd0 && marker <= 0xd7)) at += 2;
    else return at;
  }
}

/** Start-of-frame markers: C0 to CF but for those of tables (C4, C8, CC). */
function isFrame(marker: number): boolean {
  return marker === 0xc0 || (marker > 0xc0 && marker <= 0xcf && marker % 4 !== 0);
}

/** Missing coefficients by component: their last bit was in no scan so far. */
class Missing {
  readonly #components = new Map<number, Set<number>>();
  #progressive = false;

  get none(): boolean {
    return this.#components.size > 0 && [...this.#components.values()].every(({ size }) => size === 0);
  }

  frame(file: Buffer, at: number, progressive: boolean): void {
    this.#progressive = progressive;
    const count = file[at + 9] ?? 0;
    for (let index = 0; index < count; index += 1) {
      this.#components.set(file[at + 10 + index * 3] ?? 0, new Set(Array(COEFFICIENTS).keys()));
    }
  }

  scan(file: Buffer, at: number): void {
    const count = file[at + 4] ?? 0;
    const [first = 0, last = 0, bits = 0] = file.subarray(at + 5 + count * 2);
    const isLastBit = !this.#progressive || (bits & 15) === 0;
    const [from, to] = this.#progressive ? [first, last] : [0, COEFFICIENTS - 1];
    for (let index = 0; index < count && isLastBit; index += 1) {
      const component = this.#components.get(file[at + 5 + index * 2] ?? 0);
      for (let coefficient = from; coefficient <= to; coefficient += 1) component?.delete(coefficient);
    }
  }
}
