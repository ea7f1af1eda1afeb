import { INFORMATION, type InformationKind, XMP_NAMESPACES } from '#contract/constants';
import { EXIF } from '../../server/processing/shared/exif-tags.ts';
import { rowOf, type XmpProperty } from '../../server/processing/shared/ledger.ts';

/** Metadata with a text of its own in each place, so that any of them can be found again. */
export interface Laden {
  /** EXIF block in big-endian order, without prefix. */
  exif: Buffer;
  xmp: string;
  /** IPTC-IIM datasets. */
  iptc: Buffer;
  /** The texts of each kind, by the block that holds them. */
  marks: { kind: InformationKind; block: 'exif' | 'xmp' | 'iptc'; text: string }[];
}

/** Kinds of metadata, as opposed to those of pixels. */
export const METADATA_KINDS = (Object.keys(INFORMATION) as InformationKind[]).filter((kind) => {
  const { exif, xmp, iptc } = rowOf(kind);
  return exif ?? xmp ?? iptc;
});

/** Tags whose values are numbers. */
const NUMBERS: ReadonlySet<number> = new Set([
  EXIF.orientation,
  EXIF.xResolution,
  EXIF.yResolution,
  EXIF.resolutionUnit,
  EXIF.rating,
]);

/** Makes metadata of these kinds in all places that the ledger knows. @param blocks where. @default everywhere */
export function ladenWith(kinds: readonly InformationKind[], blocks = ['exif', 'xmp', 'iptc']): Laden {
  const marks: Laden['marks'] = [];
  const tags: { directory: string; tag: number; text: string }[] = [];
  const properties: string[] = [];
  const datasets: Buffer[] = [Buffer.from('\x1c\x01\x5a\0\x03\x1b%G', 'latin1')];
  for (const kind of kinds) {
    const { exif = [], xmp = [], iptc = {} } = rowOf(kind);
    for (const { directory, tag } of blocks.includes('exif') ? exif : []) {
      if (NUMBERS.has(tag)) continue;
      const text = `E-${kind}-${tag.toString(16)}.`;
      tags.push({ directory, tag, text });
      marks.push({ kind, block: 'exif', text });
    }
    for (const property of blocks.includes('xmp') ? xmp : []) {
      const text = `X-${kind}-${property.name.replace(/\W/g, '')}. é&amp;`;
      properties.push(propertyWith(property, text));
      marks.push({ kind, block: 'xmp', text: text.slice(0, -7) });
    }
    for (const dataset of blocks.includes('iptc') ? Object.keys(iptc) : []) {
      const text = `I-${kind}-${dataset}.`;
      datasets.push(Buffer.from(`\x1c\x02${String.fromCharCode(Number(dataset), 0, text.length)}${text}`, 'latin1'));
      marks.push({ kind, block: 'iptc', text });
    }
  }
  return { exif: bigEndianExif(tags), xmp: packetWith(properties), iptc: Buffer.concat(datasets), marks };
}

function propertyWith({ name, form, fields = [] }: XmpProperty, text: string): string {
  const list = (kind: string) => `<${name}><rdf:${kind}><rdf:li>${text}</rdf:li></rdf:${kind}></${name}>`;
  if (form === 'text') return `<${name}>${text}</${name}>`;
  if (form === 'bag') return list('Bag');
  if (form === 'seq') return list('Seq');
  if (form === 'alt') return `<${name}><rdf:Alt><rdf:li xml:lang="x-default">${text}</rdf:li></rdf:Alt></${name}>`;
  const kind = form === 'structs-bag' ? 'Bag' : 'Seq';
  const inside = `<${fields[0]}>${text}</${fields[0]}><plus:LicensorEmail>PrivateEmail</plus:LicensorEmail>`;
  return `<${name}><rdf:${kind}><rdf:li rdf:parseType="Resource">${inside}</rdf:li></rdf:${kind}></${name}>`;
}

function packetWith(properties: string[]): string {
  const namespaces = Object.entries(XMP_NAMESPACES).map(([prefix, uri]) => `xmlns:${prefix}="${uri}"`);
  return (
    '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">' +
    `<rdf:Description rdf:about="" ${namespaces.join(' ')} xmlns:own="urn:own"><own:Secret>PrivateProperty</own:Secret>` +
    `${properties.join('')}</rdf:Description></rdf:RDF></x:xmpmeta>`
  );
}

/** Writes the tags as texts, and behind them a directory of a place and one of a thumbnail. */
function bigEndianExif(tags: { directory: string; tag: number; text: string }[]): Buffer {
  const image = tags.filter(({ directory }) => directory === 'image');
  const photo = tags.filter(({ directory }) => directory === 'photo');
  const sizeOf = (list: typeof tags, pointers: number) => 2 + 12 * (list.length + pointers) + 4;
  const photoAt = 8 + sizeOf(image, 1);
  const valuesAt = photoAt + sizeOf(photo, 0);
  const values: Buffer[] = [];
  let offset = valuesAt;
  const directory = (list: typeof tags, pointer: number | null) => {
    const entries = list.map(({ tag, text }) => {
      const data = Buffer.from(`${text}\0`);
      const entry = { tag, type: 2, count: data.length, value: offset };
      values.push(data);
      offset += data.length;
      return entry;
    });
    if (pointer !== null) entries.push({ tag: EXIF.photo, type: 4, count: 1, value: pointer });
    const bytes = Buffer.alloc(sizeOf(list, pointer === null ? 0 : 1));
    bytes.writeUInt16BE(entries.length, 0);
    for (const [index, { tag, type, count, value }] of entries.sort((a, b) => a.tag - b.tag).entries()) {
      bytes.writeUInt16BE(tag, 2 + index * 12);
      bytes.writeUInt16BE(type, 4 + index * 12);
      bytes.writeUInt32BE(count, 6 + index * 12);
      bytes.writeUInt32BE(value, 10 + index * 12);
    }
    return bytes;
  };
  const directories = [directory(image, photoAt), directory(photo, null)];
  return Buffer.concat([Buffer.from('MM\0*\0\0\0\x08', 'latin1'), ...directories, ...values]);
}

/** Puts metadata into a JPEG without any. */
export function ladenJpeg(plain: Buffer, { exif, xmp, iptc }: Laden): Buffer {
  const segment = (marker: number, ...parts: (string | Buffer)[]) => {
    const body = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)));
    const head = Buffer.from([0xff, marker, 0, 0]);
    head.writeUInt16BE(body.length + 2, 2);
    return Buffer.concat([head, body]);
  };
  const length = Buffer.alloc(4);
  length.writeUInt32BE(iptc.length);
  const padding = Buffer.alloc(iptc.length % 2);
  return Buffer.concat([
    plain.subarray(0, 2),
    segment(0xe1, 'Exif\0\0', exif),
    segment(0xe1, 'http://ns.adobe.com/xap/1.0/\0', Buffer.from(xmp)),
    segment(0xed, 'Photoshop 3.0\x008BIM\x04\x04\0\0', length, iptc, padding),
    segment(0xfe, 'PrivateComment'),
    plain.subarray(2),
    Buffer.from('PrivateTail'),
  ]);
}
