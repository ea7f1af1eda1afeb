import { EMBEDDED_FIELDS, type EmbeddedTexts, METADATA_FIELDS, XMP_FIELDS, XMP_NAMESPACES } from '#contract/constants';
import type { Alternative, XmpValue } from './metadata/parse-xmp.ts';

/** Input of an XMP packet. */
export interface XmpProperties extends EmbeddedTexts {
  /** Properties of the upload by name; the texts replace those of the same name. */
  xmp?: ReadonlyMap<string, XmpValue> | undefined;
  /** Attributes and elements that describe a gain map. */
  gainMap?: { attributes: string; elements: string } | undefined;
}

/** Longest part that texts and tags of the image may take. */
const MAX_BYTES = 8192;
/** Longest packet. Above 59,700 characters the library silently writes none, and a JPEG holds 65,500 bytes. */
const MAX_PACKET_BYTES = 40_960;
/** Fields by importance; the last ones are omitted first if the packet is too large. */
const BY_IMPORTANCE = ['alt', ...EMBEDDED_FIELDS.filter((name) => name !== 'alt')] as const;

/**
 * Builds an XMP packet with the properties of the upload and with the texts: Iptc4xmpCore:AltTextAccessibility (IPTC Photo Metadata
 * 2021.1), dc:title, dc:description, dc:subject, and photoshop:CaptionWriter where a model wrote them. If the texts take more than 8 kB, it omits the copy under the language tag, then tags,
 * caption and title.
 * @returns null if there is nothing to write, or if the properties of the upload alone take more than 40 kB
 */
export function buildXmp({ xmp = new Map(), gainMap, ...texts }: XmpProperties): string | null {
  const limit = Math.min(MAX_PACKET_BYTES, Buffer.byteLength(packetOf(xmp, {}, gainMap) ?? '') + MAX_BYTES);
  for (let kept = BY_IMPORTANCE.length; kept >= 0; kept -= 1) {
    const dropped = Object.fromEntries(BY_IMPORTANCE.slice(kept).map((name) => [name, undefined]));
    const packet = packetOf(xmp, { ...texts, ...dropped }, gainMap);
    if (packet === null || Buffer.byteLength(packet) <= limit) return packet;
  }
  return null;
}

function packetOf(
  own: ReadonlyMap<string, XmpValue>,
  texts: EmbeddedTexts,
  gainMap: XmpProperties['gainMap'],
): string | null {
  const values = new Map([...own, ...textValues(texts)]);
  if (values.size === 0 && !gainMap) return null;
  const properties =
    [...values].map(([name, value]) => `<${name}>${contentOf(value)}</${name}>`).join('') + (gainMap?.elements ?? '');
  const marked = `${properties} ${gainMap?.attributes ?? ''}`;
  const used = new Set([...marked.matchAll(/[< ]([\w-]+):/g)].map(([, prefix]) => prefix));
  const namespaces = Object.entries(XMP_NAMESPACES)
    .filter(([prefix]) => used.has(prefix))
    .map(([prefix, uri]) => `xmlns:${prefix}="${uri}"`)
    .join(' ');
  return (
    '<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>' +
    '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">' +
    `<rdf:Description rdf:about="" ${namespaces} ${gainMap?.attributes ?? ''}>${properties}</rdf:Description>` +
    '</rdf:RDF></x:xmpmeta><?xpacket end="w"?>'
  );
}

/** Returns the values of the texts that are not empty, and the model that wrote some of them. */
function textValues(texts: EmbeddedTexts): [string, XmpValue][] {
  const values = XMP_FIELDS.flatMap((name): [string, XmpValue][] => {
    const { xmp, maxLength, inRequests } = METADATA_FIELDS[name];
    const value = texts[name];
    if (Array.isArray(value)) return value.length > 0 ? [[xmp, { form: 'bag', items: value }]] : [];
    if (!value) return [];
    // Requests may carry longer texts than are stored.
    const text = inRequests ? cut(value, maxLength) : value;
    // The default first, then the same text under its language (XMP specification, part 1, 8.2.2.4).
    const tagged = texts.language ? [{ language: texts.language, text }] : [];
    return [[xmp, { form: 'alt', texts: [{ language: null, text }, ...tagged] }]];
  });
  const { writer } = texts;
  if (!writer || values.length === 0) return values;
  return [...values, ['photoshop:CaptionWriter', { form: 'text', text: `AI: ${writer}` }]];
}

function contentOf(value: XmpValue): string {
  switch (value.form) {
    case 'text':
      return escapeXml(value.text);
    case 'alt':
      return listOf('Alt', value.texts.map(alternative));
    case 'bag':
      return listOf('Bag', value.items.map(item));
    case 'seq':
      return listOf('Seq', value.items.map(item));
    case 'structs-bag':
      return listOf('Bag', value.items.map(structure));
    case 'structs-seq':
      return listOf('Seq', value.items.map(structure));
  }
}

function listOf(kind: 'Alt' | 'Bag' | 'Seq', items: string[]): string {
  return `<rdf:${kind}>${items.join('')}</rdf:${kind}>`;
}

function alternative({ language, text }: Alternative): string {
  return `<rdf:li xml:lang="${escapeXml(language ?? 'x-default')}">${escapeXml(text)}</rdf:li>`;
}

function item(text: string): string {
  return `<rdf:li>${escapeXml(text)}</rdf:li>`;
}

function structure(fields: Record<string, string>): string {
  const inside = Object.entries(fields).map(([name, text]) => `<${name}>${escapeXml(text)}</${name}>`);
  return `<rdf:li rdf:parseType="Resource">${inside.join('')}</rdf:li>`;
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : [...text].slice(0, length).join('');
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escapeXml(text: string): string {
  // XML 1.0 allows no other control characters and no lone surrogates.
  const allowed = text.replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '');
  return allowed.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}
