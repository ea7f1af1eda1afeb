import sharp from 'sharp';
import type { Preset } from '#contract';
import { presetSettings } from '../../shared/presets.ts';
import { MOST_PARTS } from '../containers/count-parts.ts';
import { parseXmp } from '../metadata/parse-xmp.ts';
import type { Pixels } from '../pixels.ts';
import type { Scaling } from '../steps/resize.ts';

const SOI = 0xd8;
const SOS = 0xda;
const APP1 = 0xe1;
const APP2 = 0xe2;
const XMP = 'http://ns.adobe.com/xap/1.0/\0';
const ISO = 'urn:iso:std:iso:ts:21496:-1\0';
/** Versions that a base names: the least one to read it, and that of the writer. */
const ISO_BASE = Buffer.from(`${ISO}\0\0\0\0`, 'latin1');
/** Payload of the segment that lists two images (CIPA DC-007). */
const MPF_BYTES = 86;
const BASE_BYTES_AT = 58;
const MAP_OFFSET_AT = 78;

/** Most images of a list that are looked at; real ones have two or three. */
const MOST_IMAGES = 8;

/** The gain map of an HDR photograph (ISO 21496-1, Ultra HDR): a second, smaller JPEG in the file. */
export interface GainMap {
  jpeg: Buffer;
  /** Its parameters: attributes and elements of XMP in the namespace `hdrgm`, and the segment of ISO 21496-1. */
  xmp: string | null;
  iso: Buffer | null;
}

/** Finds the gain map of a JPEG by its list of images (MPF). @returns null if there is none that can be written again */
export function readGainMap(file: Buffer): GainMap | null {
  try {
    for (const jpeg of furtherImages(file)) {
      const found = segmentsOf(jpeg);
      const iso = found.find(({ marker, data }) => marker === APP2 && startsWith(data, ISO))?.data ?? null;
      const packet = found.find(({ marker, data }) => marker === APP1 && startsWith(data, XMP));
      const xmp = packet ? parameters(packet.data.toString('utf8', XMP.length)) : null;
      if (iso || xmp) return { jpeg, xmp, iso };
    }
  } catch {
    // Offsets outside the file.
  }
  return null;
}

/** Options of the scaling of a map. */
interface MapOrder {
  preset: Preset;
  full: Pick<Pixels, 'width' | 'height'>;
  scaling: Scaling | null;
  orientation: number | undefined;
}

/** Scales the map as its photograph, and encodes it with the quality of the preset. @param orientation of the photograph's tag */
export async function encodeGainMap(
  map: GainMap,
  { preset, full, scaling, orientation = 1 }: MapOrder,
  maxPixels: number,
): Promise<GainMap> {
  const options = { ignoreIcc: true, failOn: 'error', limitInputPixels: maxPixels } as const;
  const { channels } = await sharp(map.jpeg, options).metadata();
  const space = channels === 1 ? 'b-w' : 'srgb';
  let image = sharp(map.jpeg, options);
  if (orientation > 1) {
    const tagged = await image
      .withMetadata({ orientation })
      .toColourspace(space)
      .png({ compressionLevel: 0 })
      .toBuffer();
    image = sharp(tagged, { ignoreIcc: true }).autoOrient();
  }
  const { data, info } = await image.toColourspace(space).raw().toBuffer({ resolveWithObject: true });
  let scaled = sharp(data, { raw: { width: info.width, height: info.height, channels: info.channels } });
  if (scaling) {
    const { to, crop } = scaling;
    const width = Math.max(1, Math.round((info.width * to.width) / full.width));
    const height = Math.max(1, Math.round((info.height * to.height) / full.height));
    scaled = scaled.resize({ width, height, fit: 'fill' });
    if (crop)
      scaled = scaled.extract(scaledCrop(crop, { x: width / to.width, y: height / to.height }, { width, height }));
  }
  const settings = presetSettings('jpeg', preset);
  const quality = settings.format === 'jpeg' ? settings.quality : 75;
  const jpeg = await scaled.toColourspace(space).jpeg({ quality, chromaSubsampling: '4:4:4' }).toBuffer();
  return { ...map, jpeg };
}

function scaledCrop(
  crop: { left: number; top: number; width: number; height: number },
  { x, y }: { x: number; y: number },
  size: { width: number; height: number },
) {
  const left = Math.min(Math.round(crop.left * x), size.width - 1);
  const top = Math.min(Math.round(crop.top * y), size.height - 1);
  return {
    left,
    top,
    width: Math.min(Math.max(1, Math.round(crop.width * x)), size.width - left),
    height: Math.min(Math.max(1, Math.round(crop.height * y)), size.height - top),
  };
}

/** Returns the map as a file: its pixels and parameters, and nothing else. */
export function gainMapFile({ jpeg, xmp, iso }: GainMap): Buffer {
  const pixels = segmentsOf(jpeg).filter(({ marker }) => (marker < 0xe0 || marker > 0xef) && marker !== 0xfe);
  const own = [
    ...(xmp ? [segment(APP1, Buffer.from(XMP + packetOf(xmp), 'utf8'))] : []),
    ...(iso ? [segment(APP2, iso)] : []),
  ];
  const scan = pixels.at(-1);
  if (!scan) throw new RangeError('expected a JPEG with pixels');
  return Buffer.concat([jpeg.subarray(0, 2), ...own, ...pixels.map(({ bytes }) => bytes), jpeg.subarray(scan.end)]);
}

/** Returns the attributes and elements that tell of the map in the XMP of its photograph (Ultra HDR 1.1). @param bytes of the map */
export function gainMapDirectory(bytes: number): { attributes: string; elements: string } {
  const entry = (fields: string) => `<rdf:li rdf:parseType="Resource"><Container:Item ${fields}/></rdf:li>`;
  return {
    attributes: 'hdrgm:Version="1.0"',
    elements:
      `<Container:Directory><rdf:Seq>${entry('Item:Semantic="Primary" Item:Mime="image/jpeg"')}` +
      `${entry(`Item:Semantic="GainMap" Item:Mime="image/jpeg" Item:Length="${bytes}"`)}</rdf:Seq></Container:Directory>`,
  };
}

/** Appends a map to a JPEG and lists both images behind its other metadata. */
export function attachGainMap(base: Buffer, map: Buffer, hasIso: boolean): Buffer {
  let at = 2;
  while ((base[at + 1] ?? 0) >= 0xe0 && (base[at + 1] ?? 0) <= 0xef) at += 2 + base.readUInt16BE(at + 2);
  const iso = hasIso ? segment(APP2, ISO_BASE) : Buffer.alloc(0);
  const length = base.length + iso.length + MPF_BYTES + 4;
  // Offsets count from behind the signature.
  const list = imageList(length, map.length, length - (at + iso.length + 8));
  return Buffer.concat([base.subarray(0, at), iso, segment(APP2, list), base.subarray(at), map]);
}

function imageList(baseBytes: number, mapBytes: number, mapOffset: number): Buffer {
  const list = Buffer.alloc(MPF_BYTES);
  list.write('MPF\0MM\0*\0\0\0\x08\0\x03', 0, 'latin1');
  const entry = (at: number, tag: number, type: number, count: number, value: number | string) => {
    list.writeUInt16BE(tag, at);
    list.writeUInt16BE(type, at + 2);
    list.writeUInt32BE(count, at + 4);
    if (typeof value === 'string') list.write(value, at + 8, 'latin1');
    else list.writeUInt32BE(value, at + 8);
  };
  entry(14, 0xb000, 7, 4, '0100');
  entry(26, 0xb001, 4, 1, 2);
  entry(38, 0xb002, 7, 32, 50);
  // Behind the list of tags: attributes, size and offset of each image.
  list.writeUInt32BE(0x00030000, 54);
  list.writeUInt32BE(baseBytes, BASE_BYTES_AT);
  list.writeUInt32BE(mapBytes, 74);
  list.writeUInt32BE(mapOffset, MAP_OFFSET_AT);
  return list;
}

/**
 * Corrects the list of images that {@link attachGainMap} has written, for a file that becomes as long as `longer`, which has the same
 * segments and others before the map.
 * @returns null if the file has no list
 */
export function withListOfLonger(file: Buffer, longer: Buffer): Buffer | null {
  const [before, after] = [file, longer].map((one) =>
    segmentsOf(one).find(({ marker, data }) => marker === APP2 && startsWith(data, 'MPF\0')),
  );
  if (!before || !after) return null;
  const copy = Buffer.from(file);
  const grown = longer.length - file.length;
  copy.writeUInt32BE(file.readUInt32BE(before.at + BASE_BYTES_AT) + grown, before.at + BASE_BYTES_AT);
  const offset = file.readUInt32BE(before.at + MAP_OFFSET_AT) + grown - (after.at - before.at);
  copy.writeUInt32BE(offset, before.at + MAP_OFFSET_AT);
  return copy;
}

interface Segment {
  marker: number;
  /** Payload. */
  data: Buffer;
  bytes: Buffer;
  end: number;
  /** Position of the payload. */
  at: number;
}

/** Reads the segments up to the first scan. @throws RangeError if there are more than any picture has, or one is cut off */
function segmentsOf(jpeg: Buffer): Segment[] {
  const found: Segment[] = [];
  if (jpeg[0] !== 0xff || jpeg[1] !== SOI) return found;
  for (let at = 2; at + 4 <= jpeg.length && jpeg[at] === 0xff; ) {
    const marker = jpeg[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const end = at + 2 + jpeg.readUInt16BE(at + 2);
    if (found.length === MOST_PARTS) throw new RangeError('segments');
    found.push({ marker, data: jpeg.subarray(at + 4, end), bytes: jpeg.subarray(at, end), end, at: at + 4 });
    if (marker === SOS) break;
    at = end;
  }
  return found;
}

/** Returns the images that the list of a JPEG names beside the first one. @throws RangeError for offsets outside the file */
export function furtherImages(file: Buffer): Buffer[] {
  const list = segmentsOf(file).find(({ marker, data }) => marker === APP2 && startsWith(data, 'MPF\0'));
  if (!list) return [];
  const tiff = list.data.subarray(4);
  const little = tiff.toString('latin1', 0, 2) === 'II';
  const u16 = (at: number) => (little ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const u32 = (at: number) => (little ? tiff.readUInt32LE(at) : tiff.readUInt32BE(at));
  const directory = u32(4);
  // A list may name the same bytes again and again: they are read once, and of all images the first ones.
  const images = new Map<number, Buffer>();
  for (let index = 0; index < Math.min(u16(directory), 16); index += 1) {
    const at = directory + 2 + index * 12;
    if (u16(at) !== 0xb002) continue;
    const entries = u32(at + 8);
    for (let image = 1; image < Math.min(u32(at + 4) / 16, 16); image += 1) {
      const start = list.at + 4 + u32(entries + image * 16 + 8);
      const jpeg = file.subarray(start, start + u32(entries + image * 16 + 4));
      if (jpeg.length > 4 && images.size < MOST_IMAGES && !images.has(start)) images.set(start, jpeg);
    }
  }
  return [...images.values()];
}

/** Returns the parameters of a map in XMP as attributes and elements; null without any. */
function parameters(packet: string): string | null {
  const attributes: string[] = [];
  const elements: string[] = [];
  const clean = (value: unknown) => (typeof value === 'string' && /^[\w.+-]{1,40}$/.test(value) ? value : null);
  for (const [name, value] of (parseXmp(packet) ?? []).flatMap((description) => Object.entries(description))) {
    const found = /^(@?)hdrgm:(\w{1,30})$/.exec(name);
    if (!found) continue;
    const items = (value as { 'rdf:Seq'?: { 'rdf:li'?: unknown[] } })['rdf:Seq']?.['rdf:li'];
    const single = clean(value);
    if (single !== null) attributes.push(`hdrgm:${found[2]}="${single}"`);
    else if (Array.isArray(items)) {
      const list = items.map((item) => `<rdf:li>${clean(item) ?? '0'}</rdf:li>`).join('');
      elements.push(`<hdrgm:${found[2]}><rdf:Seq>${list}</rdf:Seq></hdrgm:${found[2]}>`);
    }
  }
  return attributes.length === 0 ? null : ` ${attributes.join(' ')}>${elements.join('')}`;
}

function packetOf(content: string): string {
  return (
    '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">' +
    `<rdf:Description rdf:about="" xmlns:hdrgm="http://ns.adobe.com/hdr-gain-map/1.0/"${content}</rdf:Description></rdf:RDF></x:xmpmeta>`
  );
}

function startsWith(data: Buffer, signature: string): boolean {
  return data.toString('latin1', 0, signature.length) === signature;
}

function segment(marker: number, payload: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(payload.length + 2, 2);
  return Buffer.concat([head, payload]);
}
