import { EMBEDDED_FIELDS, type EmbeddedTexts, METADATA_FIELDS, XMP_FIELDS, XMP_NAMESPACES } from '#contract/constants';

/** Texts and attribution that an XMP packet can hold. */
export interface XmpProperties extends EmbeddedTexts {
  artist?: string | undefined;
  copyright?: string | undefined;
}

/** Longest packet. Above 59,700 characters the library silently writes none. */
const MAX_BYTES = 8192;
const NAMESPACES = Object.entries(XMP_NAMESPACES)
  .map(([prefix, uri]) => `xmlns:${prefix}="${uri}"`)
  .join(' ');
/** Fields by importance; the last ones are omitted first if the packet is too large. */
const BY_IMPORTANCE = ['alt', ...EMBEDDED_FIELDS.filter((name) => name !== 'alt')] as const;

/**
 * Builds an XMP packet with Iptc4xmpCore:AltTextAccessibility (IPTC Photo Metadata 2021.1), dc:title, dc:description,
 * dc:subject, dc:creator and dc:rights. Above 8 kB it omits the copy under the language tag, then tags, caption and title.
 * @returns null if there is nothing to write
 */
export function buildXmp(properties: XmpProperties): string | null {
  for (let kept = BY_IMPORTANCE.length; kept >= 0; kept -= 1) {
    const dropped = Object.fromEntries(BY_IMPORTANCE.slice(kept).map((name) => [name, undefined]));
    const packet = packetOf({ ...properties, ...dropped });
    if (packet === null || Buffer.byteLength(packet) <= MAX_BYTES) return packet;
  }
  return null;
}

function packetOf({ artist, copyright, ...texts }: XmpProperties): string | null {
  const field = (name: (typeof XMP_FIELDS)[number]) => {
    const { xmp, maxLength, inRequests } = METADATA_FIELDS[name];
    const value = texts[name];
    if (Array.isArray(value)) return value.length > 0 ? list(xmp, 'Bag', value) : '';
    if (!value) return '';
    // Requests may carry longer texts than are stored.
    const bounded = inRequests ? cut(value, maxLength) : value;
    return `<${xmp}>${languageAlternative(bounded, texts.language)}</${xmp}>`;
  };
  const list = (name: string, kind: string, items: string[]) =>
    `<${name}><rdf:${kind}>${items.map((item) => `<rdf:li>${escapeXml(item)}</rdf:li>`).join('')}</rdf:${kind}></${name}>`;
  const properties = [
    artist ? list('dc:creator', 'Seq', [artist]) : '',
    copyright ? `<dc:rights>${languageAlternative(copyright, null)}</dc:rights>` : '',
    ...XMP_FIELDS.map(field),
  ].join('');
  if (properties === '') return null;
  return (
    '<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>' +
    '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">' +
    `<rdf:Description rdf:about="" ${NAMESPACES}>${properties}</rdf:Description>` +
    '</rdf:RDF></x:xmpmeta><?xpacket end="w"?>'
  );
}

/** Writes a language alternative: the default first, then the same text under its language (XMP specification, part 1, 8.2.2.4). */
function languageAlternative(text: string, language: string | null | undefined): string {
  const escaped = escapeXml(text);
  const tagged = language ? `<rdf:li xml:lang="${escapeXml(language)}">${escaped}</rdf:li>` : '';
  return `<rdf:Alt><rdf:li xml:lang="x-default">${escaped}</rdf:li>${tagged}</rdf:Alt>`;
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
