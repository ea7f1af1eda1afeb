import { XMLParser } from 'fast-xml-parser';
import { METADATA_FIELDS, XMP_FIELDS } from '#contract/constants';
import type { EmbeddedMetadata, EmbeddedText } from '../../shared/inspection.ts';
import type { Attribution } from '../exif.ts';

/** Texts of an XMP packet: one for each metadata field with an XMP property, and the headline. */
export type XmpTexts = EmbeddedMetadata & { headline: EmbeddedText | null };

const MAX_PACKET_CHARACTERS = 256 * 1024;
const MAX_TEXT_CHARACTERS = 4000;
const MAX_TAGS = 100;

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  // The packet's own entities are never expanded; the five of XML and character references are decoded below.
  processEntities: false,
  parseTagValue: false,
  parseAttributeValue: false,
  isArray: (name) => name === 'rdf:li' || name === 'rdf:Description',
});

type Node = Record<string, unknown>;

/** Reads an XMP packet (ISO 16684-1). A packet that is too large, damaged or declares a document type yields nothing. */
export function readXmp(packet: string | undefined, language: string | undefined): XmpTexts {
  const descriptions = descriptionsOf(packet);
  const fields = XMP_FIELDS.map((name) => {
    const { type, xmp } = METADATA_FIELDS[name];
    const property = propertyOf(descriptions, xmp);
    return [name, type === 'list' ? listOf(property) : textOf(property, language)];
  });
  const headline = textOf(propertyOf(descriptions, 'photoshop:Headline'), language);
  return { ...(Object.fromEntries(fields) as EmbeddedMetadata), headline };
}

/** Reads author and copyright. */
export function readXmpAttribution(packet: string | undefined): Attribution {
  const descriptions = descriptionsOf(packet);
  const creators = listOf(propertyOf(descriptions, 'dc:creator')).join('; ');
  const rights = textOf(propertyOf(descriptions, 'dc:rights'), undefined)?.text;
  return { ...(creators ? { artist: creators } : {}), ...(rights ? { copyright: rights } : {}) };
}

function descriptionsOf(packet: string | undefined): Node[] {
  if (!packet || packet.length > MAX_PACKET_CHARACTERS || /<!(?:DOCTYPE|ENTITY)/i.test(packet)) return [];
  try {
    return findDescriptions(parser.parse(packet));
  } catch {
    return [];
  }
}

function findDescriptions(document: unknown): Node[] {
  const root = asNode(document);
  const rdf = asNode(asNode(root['x:xmpmeta'] ?? root['x:xapmeta'])['rdf:RDF'] ?? root['rdf:RDF']);
  const found = rdf['rdf:Description'];
  return Array.isArray(found) ? found.map(asNode) : [];
}

/** Returns a property, written as an element or, in its short form, as an attribute. */
function propertyOf(descriptions: Node[], name: string): unknown {
  for (const description of descriptions) {
    const value = description[name] ?? description[`@${name}`];
    if (value !== undefined && value !== '') return value;
  }
  return undefined;
}

/** Chooses from a language alternative: the requested language, the same one of another region, the default, or the first. */
function textOf(value: unknown, language: string | undefined): EmbeddedText | null {
  if (typeof value === 'string') return asText(value, null);
  const items = itemsOf(asNode(value)['rdf:Alt'] ?? value);
  if (items.length === 0) return asText(contentOf(value), null);
  const wanted = language?.toLowerCase();
  const primary = wanted?.split('-')[0];
  const tagOf = (item: unknown) => String(asNode(item)['@xml:lang'] ?? 'x-default').toLowerCase();
  const chosen =
    items.find((item) => wanted !== undefined && tagOf(item) === wanted) ??
    items.find((item) => primary !== undefined && tagOf(item).split('-')[0] === primary) ??
    items.find((item) => tagOf(item) === 'x-default') ??
    items[0];
  const tag = tagOf(chosen);
  return asText(contentOf(chosen), tag === 'x-default' ? null : tag);
}

function listOf(value: unknown): string[] {
  if (typeof value === 'string') return [decode(value)];
  const node = asNode(value);
  return itemsOf(node['rdf:Bag'] ?? node['rdf:Seq'] ?? value)
    .slice(0, MAX_TAGS)
    .map((item) => decode(contentOf(item)))
    .filter((text) => text !== '');
}

function itemsOf(container: unknown): unknown[] {
  const items = asNode(container)['rdf:li'];
  return Array.isArray(items) ? items : [];
}

function contentOf(value: unknown): string {
  if (typeof value === 'string') return value;
  const text = asNode(value)['#text'];
  return typeof text === 'string' ? text : '';
}

function asText(raw: string, language: string | null): EmbeddedText | null {
  const text = decode(raw);
  return text === '' ? null : { text, language };
}

function asNode(value: unknown): Node {
  return typeof value === 'object' && value !== null ? (value as Node) : {};
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function decode(text: string): string {
  const decoded = text
    .slice(0, MAX_TEXT_CHARACTERS * 6)
    .replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{2,4}));/gi, (...match) => {
      const [whole, decimal, hex, name] = match as [string, string?, string?, string?];
      if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? whole;
      const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
      return code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ? '' : String.fromCodePoint(code);
    });
  return decoded.slice(0, MAX_TEXT_CHARACTERS).trim();
}
