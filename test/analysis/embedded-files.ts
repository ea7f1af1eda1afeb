import sharp, { type Sharp } from 'sharp';

const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';

/** A JPEG segment after the start of the image. */
export function withSegment(file: Buffer, marker: number, payload: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(payload.length + 2, 2);
  return Buffer.concat([file.subarray(0, 2), head, payload, file.subarray(2)]);
}

/** An IPTC-IIM block inside Photoshop's resources, as programs write it into JPEG. */
export function iptcSegment(datasets: [dataset: number, text: string | Buffer][], utf8 = true): Buffer {
  const parts: Buffer[] = utf8 ? [Buffer.from([0x1c, 1, 90, 0, 3, 0x1b, 0x25, 0x47])] : [];
  for (const [dataset, text] of datasets) {
    const data = typeof text === 'string' ? Buffer.from(text) : text;
    const head = Buffer.from([0x1c, 2, dataset, 0, 0]);
    head.writeUInt16BE(data.length, 3);
    parts.push(head, data);
  }
  const iim = Buffer.concat(parts);
  const resource = Buffer.alloc(12);
  resource.write('8BIM', 0, 'latin1');
  resource.writeUInt16BE(0x0404, 4);
  resource.writeUInt32BE(iim.length, 8);
  // A named resource before it, as Photoshop writes.
  const other = Buffer.concat([Buffer.from('8BIM\x03\xed\x04name\0\0\0\0\x03abc\0', 'latin1')]);
  return Buffer.concat([Buffer.from('Photoshop 3.0\0', 'latin1'), other, resource, iim]);
}

/** An XMP packet around properties. */
export function xmp(properties: string, attributes = ''): string {
  return (
    `<?xpacket begin="\ufeff"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="${RDF}">` +
    '<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" ' +
    'xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/" ' +
    `xmlns:Iptc4xmpCore="http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/" ${attributes}>${properties}</rdf:Description>` +
    '</rdf:RDF></x:xmpmeta><?xpacket end="w"?>'
  );
}

/** A language alternative; the keys are languages. */
export function alt(name: string, texts: Record<string, string>): string {
  const items = Object.entries(texts).map(([language, text]) => `<rdf:li xml:lang="${language}">${text}</rdf:li>`);
  return `<${name}><rdf:Alt>${items.join('')}</rdf:Alt></${name}>`;
}

/** An unordered list. */
export function bag(name: string, items: string[]): string {
  return `<${name}><rdf:Bag>${items.map((item) => `<rdf:li>${item}</rdf:li>`).join('')}</rdf:Bag></${name}>`;
}

/** A picture with noise, as sharp's pipeline. */
export function picture(width = 320, height = 240): Sharp {
  const noise = { type: 'gaussian' as const, mean: 128, sigma: 60 };
  return sharp({ create: { width, height, channels: 3, background: '#884422', noise } });
}
