import { XMLParser } from 'fast-xml-parser';
import { XMP_NAMESPACES } from '#contract/constants';
import type { XmpProperty } from '../../shared/ledger.ts';

const MAX_PACKET_CHARACTERS = 256 * 1024;
/** Longest text that is read. */
const MAX_TEXT_CHARACTERS = 4000;
const MAX_ITEMS = 100;
const MAX_DEPTH = 12;

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  // The packet's own entities are never expanded; the five of XML and character references are decoded below.
  processEntities: false,
  parseTagValue: false,
  parseAttributeValue: false,
});

/** An element: its children and, with `@`, its attributes by name. */
export type Node = Record<string, unknown>;

/** A text of a language alternative; null: the default. */
export interface Alternative {
  language: string | null;
  text: string;
}

/** A value of an XMP property. */
export type XmpValue =
  | { form: 'text'; text: string }
  | { form: 'alt'; texts: Alternative[] }
  | { form: 'bag' | 'seq'; items: string[] }
  | { form: 'structs-bag' | 'structs-seq'; items: Record<string, string>[] };

/** Prefixes by namespace. */
const PREFIXES = new Map<string, string>([
  ...Object.entries(XMP_NAMESPACES).map(([prefix, uri]): [string, string] => [uri, prefix]),
  ['http://www.w3.org/1999/02/22-rdf-syntax-ns#', 'rdf'],
  ['adobe:ns:meta/', 'x'],
]);

/**
 * Parses an XMP packet (ISO 16684-1). Names get the usual prefixes of their namespaces, whatever the packet calls them.
 * @returns its descriptions; null for a packet that is too large, damaged or declares a document type
 */
export function parseXmp(packet: string | undefined): Node[] | null {
  if (!packet) return [];
  if (packet.length > MAX_PACKET_CHARACTERS || /<!(?:DOCTYPE|ENTITY)/i.test(packet)) return null;
  try {
    const root = withUsualNames(parser.parse(packet), new Map(), 0);
    const rdf = asNode(asNode(root['x:xmpmeta'] ?? root['x:xapmeta'])['rdf:RDF'] ?? root['rdf:RDF']);
    return listed(rdf['rdf:Description']).map(asNode);
  } catch {
    return null;
  }
}

/** Renames the elements and attributes of a node. @param prefixes usual prefixes by those of the packet */
function withUsualNames(node: Node, prefixes: ReadonlyMap<string, string>, depth: number): Node {
  // Names come from the packet, so it has no prototype to reach.
  const renamed: Node = Object.create(null);
  if (depth > MAX_DEPTH) return renamed;
  for (const [name, value] of Object.entries(node)) {
    if (name.startsWith('@')) {
      renamed[`@${usualName(name.slice(1), prefixes)}`] = value;
      continue;
    }
    for (const child of listed(value)) {
      const inner = typeof child === 'object' && child !== null ? declaredIn(child as Node, prefixes) : prefixes;
      const usual = usualName(name, inner);
      const named = typeof child === 'object' && child ? withUsualNames(child as Node, inner, depth + 1) : child;
      const before = renamed[usual];
      renamed[usual] = before === undefined ? named : [...listed(before), named];
    }
  }
  return renamed;
}

/** Adds the namespaces that a node declares. */
function declaredIn(node: Node, prefixes: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const declared = Object.entries(node).filter(([name]) => name.startsWith('@xmlns:'));
  if (declared.length === 0) return prefixes;
  const own = declared.map(([name, uri]): [string, string] => [name.slice(7), PREFIXES.get(String(uri)) ?? `{${uri}}`]);
  return new Map([...prefixes, ...own]);
}

function usualName(name: string, prefixes: ReadonlyMap<string, string>): string {
  const colon = name.indexOf(':');
  const prefix = colon < 0 ? undefined : prefixes.get(name.slice(0, colon));
  return prefix === undefined ? name : prefix + name.slice(colon);
}

/** Returns a property, written as an element or, in its short form, as an attribute. */
export function propertyOf(descriptions: Node[], name: string): unknown {
  for (const description of descriptions) {
    const value = description[name] ?? description[`@${name}`];
    if (value !== undefined && value !== '') return value;
  }
  return undefined;
}

/** Reads the value of a property; null if it is empty. */
export function xmpValueOf(property: unknown, { form, fields = [] }: XmpProperty): XmpValue | null {
  if (property === undefined) return null;
  if (form === 'text') {
    const text = plainText(property);
    return text === '' ? null : { form, text };
  }
  if (form === 'alt') {
    const texts = alternativesOf(property);
    return texts.length === 0 ? null : { form, texts };
  }
  if (form === 'bag' || form === 'seq') {
    const items = listOf(property);
    return items.length === 0 ? null : { form, items };
  }
  const items = structuresOf(property, fields);
  return items.length === 0 ? null : { form, items };
}

function plainText(property: unknown): string {
  const node = asNode(property);
  const resource = node['@rdf:resource'];
  if (typeof resource === 'string') return decode(resource);
  return decode(contentOf(property)) || (alternativesOf(property)[0]?.text ?? listOf(property)[0] ?? '');
}

/** Reads the texts of a language alternative, the default first. */
export function alternativesOf(property: unknown): Alternative[] {
  const items = itemsOf(asNode(property)['rdf:Alt'] ?? property);
  if (items.length === 0) {
    const text = decode(contentOf(property));
    return text === '' ? [] : [{ language: null, text }];
  }
  return items.slice(0, MAX_ITEMS).flatMap((item) => {
    const tag = String(asNode(item)['@xml:lang'] ?? 'x-default').toLowerCase();
    const text = decode(contentOf(item));
    return text === '' ? [] : [{ language: tag === 'x-default' ? null : tag, text }];
  });
}

/** Reads a list of texts; a bare text is a list of one. */
export function listOf(property: unknown): string[] {
  if (typeof property === 'string') return [decode(property)].filter((text) => text !== '');
  const node = asNode(property);
  return itemsOf(node['rdf:Bag'] ?? node['rdf:Seq'] ?? node['rdf:Alt'] ?? property)
    .slice(0, MAX_ITEMS)
    .map((item) => decode(contentOf(item)))
    .filter((text) => text !== '');
}

function structuresOf(property: unknown, fields: readonly string[]): Record<string, string>[] {
  const node = asNode(property);
  const items = itemsOf(node['rdf:Bag'] ?? node['rdf:Seq'] ?? property);
  return items.slice(0, MAX_ITEMS).flatMap((item) => {
    const outer = asNode(item);
    const nested = [outer, asNode(outer['rdf:Description'])];
    const found = fields.flatMap((field): [string, string][] => {
      const value = propertyOf(nested, field);
      const text = value === undefined ? '' : plainText(value);
      return text === '' ? [] : [[field, text]];
    });
    return found.length === 0 ? [] : [Object.fromEntries(found)];
  });
}

function itemsOf(container: unknown): unknown[] {
  return listed(asNode(container)['rdf:li']);
}

function contentOf(value: unknown): string {
  if (typeof value === 'string') return value;
  const text = asNode(value)['#text'];
  return typeof text === 'string' ? text : '';
}

function listed(value: unknown): unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
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
