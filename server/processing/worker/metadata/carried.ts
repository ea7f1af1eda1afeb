import { readFile } from 'node:fs/promises';
import type { Metadata } from 'sharp';
import type { WarningCode } from '#contract';
import {
  ENCODERS,
  type EncodedFormat,
  INFORMATION,
  type InformationKind,
  type InputFormat,
  type MetadataLevel,
} from '#contract/constants';
import type { ExifTag } from '../../shared/exif-tags.ts';
import { fateOf, KINDS, type LedgerRow, rowOf, type XmpProperty } from '../../shared/ledger.ts';
import type { OutputSettings } from '../../shared/protocol.ts';
import { withoutCredentials } from '../containers/credentials.ts';
import type { PngText } from '../containers/png-texts.ts';
import { type Attribution, attributionOf, type ExifEntry, readExifBlock } from '../exif.ts';
import { hasGainMap } from '../hdr/plan-gain-map.ts';
import { isSrgbProfile } from '../source-colour.ts';
import type { OutputMetadata } from '../steps/encode.ts';
import { buildXmp } from '../xmp.ts';
import { readCredentialContent } from './credential-kinds.ts';
import { decodeText } from './decode-text.ts';
import { type Node, parseXmp, propertyOf, type XmpValue, xmpValueOf } from './parse-xmp.ts';
import { type MetadataBlocks, readBlocks } from './read-blocks.ts';

const MAX_CHARACTERS = 1024;

/** Parsed metadata of a file. */
export interface Carried {
  /** Every kind that the ledger knows and that is there, private ones too. */
  kinds: InformationKind[];
  /** Tags of the ledger. */
  exif: ExifEntry[];
  /** Properties of the ledger by name, from XMP, else from IPTC. */
  xmp: Map<string, XmpValue>;
  /** Author and copyright: from EXIF, else from XMP (`dc:creator`, `dc:rights`), else from IPTC (2:80, 2:116), else from texts of a PNG. */
  attribution: Attribution;
  /** True if the XMP packet is too large, damaged or not acceptable, so that nothing of it was read. */
  unreadable: boolean;
}

/** Reads everything that the ledger knows from the blocks. Damaged blocks are read up to the damage. */
export function readCarried({ exif, xmp, iptc, texts = [] }: MetadataBlocks): Carried {
  const block = readExifBlock(exif);
  const descriptions = parseXmp(xmp);
  const said = iptcValues(iptc);
  const found: Carried = { kinds: [], exif: [], xmp: new Map(), attribution: {}, unreadable: descriptions === null };
  const tags = new Map(block.entries.map((entry) => [keyOf(entry), entry]));
  for (const kind of KINDS) {
    const { exif: ownTags = [], xmp: properties = [], iptc: datasets = {} } = rowOf(kind);
    const entries = ownTags.flatMap((tag) => tags.get(keyOf(tag)) ?? []);
    found.exif.push(...entries);
    let isFound = entries.length > 0 || (kind === 'thumbnail' && block.thumbnail);
    for (const property of properties) {
      const value = readProperty(property, descriptions ?? [], said, datasets);
      if (value) found.xmp.set(property.name, value);
      isFound ||= value !== null || propertyOf(descriptions ?? [], property.name) !== undefined;
    }
    isFound ||= Object.keys(datasets).some((dataset) => said.has(Number(dataset)));
    isFound ||= texts.some(({ keyword }) => isTextOf(kind, keyword));
    if (isFound) found.kinds.push(kind);
  }
  found.attribution = readAttribution(found, texts);
  return found;
}

/** Returns what a level of `settings.metadata` keeps in a format. */
function keptOf(carried: Carried, format: EncodedFormat, level: MetadataLevel): Carried {
  const kinds = carried.kinds.filter((kind) => fateOf(kind, format, level) === 'kept');
  const rows = kinds.map(rowOf);
  const tags = new Set(rows.flatMap(({ exif = [] }) => exif.map(keyOf)));
  const names = new Set(rows.flatMap(({ xmp = [] }) => xmp.map(({ name }): string => name)));
  return {
    ...carried,
    kinds,
    exif: carried.exif.filter((entry) => tags.has(keyOf(entry))),
    xmp: new Map([...carried.xmp].filter(([name]) => names.has(name))),
    attribution: level === 'none' ? {} : carried.attribution,
  };
}

function keyOf({ directory, tag }: ExifTag): string {
  return `${directory} ${tag}`;
}

/** Reads a property from XMP, else from IPTC. */
function readProperty(
  property: XmpProperty,
  descriptions: Node[],
  said: Map<number, string[]>,
  datasets: Readonly<Record<number, string | null>>,
): XmpValue | null {
  const value = xmpValueOf(propertyOf(descriptions, property.name), property);
  if (value) return value;
  const dataset = Object.keys(datasets).find((one) => datasets[Number(one)] === property.name);
  const items = dataset === undefined ? undefined : said.get(Number(dataset));
  if (!items?.[0]) return null;
  if (property.form === 'alt') return { form: 'alt', texts: [{ language: null, text: items[0] }] };
  if (property.form === 'bag' || property.form === 'seq') return { form: property.form, items };
  return { form: 'text', text: property.name === 'photoshop:DateCreated' ? isoDate(items[0]) : items[0] };
}

/** Converts the date of IPTC, `20240131`. */
function isoDate(date: string): string {
  return date.replace(/^(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3');
}

function readAttribution({ exif, xmp }: Carried, texts: PngText[]): Attribution {
  const own = attributionOf(exif);
  const creators = xmp.get('dc:creator');
  const rights = xmp.get('dc:rights');
  const artist = own.artist ?? (creators?.form === 'seq' ? creators.items.join('; ') : textNamed(texts, 'creator'));
  const copyright = own.copyright ?? (rights?.form === 'alt' ? defaultText(rights) : textNamed(texts, 'copyright'));
  return {
    ...(artist ? { artist: artist.slice(0, MAX_CHARACTERS) } : {}),
    ...(copyright ? { copyright: copyright.slice(0, MAX_CHARACTERS) } : {}),
  };
}

/** Returns true for a text of a PNG that holds a kind: by its keyword, or by the name of a private property, as ImageMagick writes it. */
function isTextOf(kind: InformationKind, keyword: string): boolean {
  const { png = [], xmp = [] }: LedgerRow = rowOf(kind);
  if (png.includes(keyword)) return true;
  if (INFORMATION[kind] !== 'never') return false;
  return (kind === 'place' && /^(?:exif:)?gps/i.test(keyword)) || xmp.some(({ name }) => name === keyword);
}

function textNamed(texts: PngText[], kind: InformationKind): string | undefined {
  const found = texts.find(({ keyword }) => isTextOf(kind, keyword));
  return found && decodeText(found.text).trim();
}

function defaultText({ texts }: Extract<XmpValue, { form: 'alt' }>): string | undefined {
  return (texts.find(({ language }) => language === null) ?? texts[0])?.text;
}

/** Lists what a file carries beside its pixels, in the order of the ledger. */
export async function carriedKinds(
  file: string,
  format: InputFormat,
  header: Metadata,
  pages: number,
): Promise<InformationKind[]> {
  const bytes = await readFile(file);
  const said = readCarried(readBlocks(format, bytes, header));
  const inside = readCredentialContent(format, bytes);
  const kinds = KINDS.filter((kind) => said.kinds.includes(kind) || inside.kinds.includes(kind));
  if (withoutCredentials(format, bytes)) kinds.push('content_credentials');
  if (hasGainMap(format, bytes)) kinds.push('gain_map');
  if (header.icc && !isSrgbProfile(header.icc)) kinds.push('icc_profile');
  if (header.depth !== 'uchar' || (header.bitsPerSample ?? 8) > 8) kinds.push('depth');
  if (header.hasAlpha) kinds.push('alpha');
  if (pages > 1) kinds.push(ENCODERS[format].animated || format === 'png' ? 'animation' : 'pages');
  return kinds;
}

/** Metadata to write with an image, and the kinds that are lost. */
export interface OutputPlan {
  metadata: OutputMetadata;
  /** Losses. */
  warnings: WarningCode[];
}

/** Plans by the ledger what outputs of a format say: what the level of `metadata` keeps of the upload, and the texts of the image. */
export function planMetadata(
  origin: MetadataBlocks,
  { metadata: level, embed }: Pick<OutputSettings, 'metadata' | 'embed'>,
  format: EncodedFormat,
): OutputPlan {
  const carried = readCarried(origin);
  const { exif, xmp, attribution } = keptOf(carried, format, level);
  const unreadable: WarningCode[] = carried.unreadable && level !== 'none' ? ['metadata_unreadable'] : [];
  const lost = carried.kinds.flatMap((kind): WarningCode[] => {
    const fate = fateOf(kind, format, level);
    return fate === 'kept' || fate === 'removed' ? [] : [fate];
  });
  if (xmp.size > 0 && buildXmp({ xmp }) === null) lost.push('metadata_not_written');
  return {
    metadata: { ...attribution, exif, xmp, ...embed },
    warnings: [...unreadable, ...lost],
  };
}

/** Fields read from an IPTC-IIM block. */
interface IptcTexts {
  title: string | null;
  caption: string | null;
  tags: string[];
}

const OBJECT_NAME = 5;
const KEYWORDS = 25;
const CAPTION = 120;
const MAX_DATASETS = 500;

/** Reads IPTC-IIM 4.2, bare or inside Photoshop's image resources; a damaged block is read up to the damage. */
export function readIptc(block: Buffer | undefined): IptcTexts {
  const found: IptcTexts = { title: null, caption: null, tags: [] };
  for (const [dataset, text] of readDatasets(block)) {
    if (dataset === OBJECT_NAME) found.title ??= text;
    if (dataset === CAPTION) found.caption ??= text;
    if (dataset === KEYWORDS) found.tags.push(text);
  }
  return found;
}

/** Reads the texts of record 2 by dataset number. */
function iptcValues(block: Buffer | undefined): Map<number, string[]> {
  const found = new Map<number, string[]>();
  for (const [dataset, text] of readDatasets(block)) found.set(dataset, [...(found.get(dataset) ?? []), text]);
  return found;
}

/** Reads the texts of record 2 with their numbers. */
function readDatasets(block: Buffer | undefined): [number, string][] {
  const iim = block && findIim(block);
  if (!iim) return [];
  const found: [number, string][] = [];
  // 1:90 declares UTF-8; without it the encoding is that of the writer's system.
  const decode = textDecoder(iim.includes('\x1b%G', 0, 'latin1'));
  for (let at = 0, count = 0; at + 5 <= iim.length && iim[at] === 0x1c && count < MAX_DATASETS; count += 1) {
    const length = iim.readUInt16BE(at + 3);
    // Extended datasets are longer than 32 kB and not texts.
    if (length > 0x7fff || at + 5 + length > iim.length) break;
    const text = iim[at + 1] === 2 ? decode(iim.subarray(at + 5, at + 5 + length)) : '';
    if (text) found.push([iim[at + 2] ?? 0, text]);
    at += 5 + length;
  }
  return found;
}

function findIim(block: Buffer): Buffer | null {
  if (block[0] === 0x1c) return block;
  let at = block.toString('latin1', 0, 14) === 'Photoshop 3.0\0' ? 14 : 0;
  while (at + 12 <= block.length && block.toString('latin1', at, at + 4) === '8BIM') {
    const id = block.readUInt16BE(at + 4);
    // A Pascal string, padded to an even length with its length byte, then the size.
    const sizeAt = at + 6 + (((block[at + 6] ?? 0) + 2) & ~1);
    if (sizeAt + 4 > block.length) return null;
    const size = block.readUInt32BE(sizeAt);
    if (id === 0x0404) return block.subarray(sizeAt + 4, sizeAt + 4 + size);
    at = sizeAt + 4 + size + (size % 2);
  }
  return null;
}

function textDecoder(utf8: boolean): (bytes: Buffer) => string {
  const strict = new TextDecoder('utf-8', { fatal: !utf8 });
  return (bytes) => {
    try {
      return strict.decode(bytes).replaceAll('\0', '').trim();
    } catch {
      return bytes.toString('latin1').replaceAll('\0', '').trim();
    }
  };
}
