/** What an XMP packet can say here. */
export interface XmpProperties {
  title?: string | null | undefined;
  alt?: string | null | undefined;
  artist?: string | undefined;
  copyright?: string | undefined;
}

/**
 * Builds an XMP packet with dc:title, dc:creator, dc:rights and Iptc4xmpCore:AltTextAccessibility (IPTC Photo Metadata 2021.1);
 * null when there is nothing to say.
 */
export function buildXmp({ title, alt, artist, copyright }: XmpProperties): string | null {
  const properties = [
    title ? `<dc:title>${languageAlternative(title)}</dc:title>` : '',
    artist ? `<dc:creator><rdf:Seq><rdf:li>${escapeXml(artist)}</rdf:li></rdf:Seq></dc:creator>` : '',
    copyright ? `<dc:rights>${languageAlternative(copyright)}</dc:rights>` : '',
    alt ? `<Iptc4xmpCore:AltTextAccessibility>${languageAlternative(alt)}</Iptc4xmpCore:AltTextAccessibility>` : '',
  ].join('');
  if (properties === '') return null;
  return (
    '<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>' +
    '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">' +
    '<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" ' +
    `xmlns:Iptc4xmpCore="http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/">${properties}</rdf:Description>` +
    '</rdf:RDF></x:xmpmeta><?xpacket end="w"?>'
  );
}

function languageAlternative(text: string): string {
  return `<rdf:Alt><rdf:li xml:lang="x-default">${escapeXml(text)}</rdf:li></rdf:Alt>`;
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escapeXml(text: string): string {
  // XML 1.0 allows no other control characters and no lone surrogates.
  const allowed = text.replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '');
  return allowed.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}
