import sharp from 'sharp';

const XMP = 'http://ns.adobe.com/xap/1.0/\0';
const NAMESPACES =
  'xmlns:hdrgm="http://ns.adobe.com/hdr-gain-map/1.0/" xmlns:Container="http://ns.google.com/photos/1.0/container/" xmlns:Item="http://ns.google.com/photos/1.0/container/item/"';

/** Makes an Ultra HDR photograph, as phones do: a JPEG, followed by a second JPEG with its gain map. */
export async function ultraHdr(photograph: Uint8Array): Promise<Uint8Array> {
  const { width, height } = await sharp(photograph).metadata();
  const map = await sharp(photograph)
    .resize({ width: Math.round(width / 4), height: Math.round(height / 4), fit: 'fill' })
    .greyscale()
    .jpeg({ quality: 80 })
    .toBuffer();
  const gain =
    'hdrgm:Version="1.0" hdrgm:GainMapMin="0" hdrgm:GainMapMax="2" hdrgm:Gamma="1" hdrgm:OffsetSDR="0.015625" hdrgm:OffsetHDR="0.015625" hdrgm:HDRCapacityMin="0" hdrgm:HDRCapacityMax="2" hdrgm:BaseRenditionIsHDR="False"';
  const second = Buffer.concat([
    map.subarray(0, 2),
    segment(0xe1, Buffer.from(XMP + packet(gain, ''))),
    map.subarray(2),
  ]);
  const items = ['Item:Semantic="Primary"', `Item:Semantic="GainMap" Item:Length="${second.length}"`].map(
    (item) => `<rdf:li rdf:parseType="Resource"><Container:Item Item:Mime="image/jpeg" ${item}/></rdf:li>`,
  );
  const directory = `<Container:Directory><rdf:Seq>${items.join('')}</rdf:Seq></Container:Directory>`;
  const about = segment(0xe1, Buffer.from(XMP + packet('hdrgm:Version="1.0"', directory)));
  const source = await sharp(photograph)
    .withExif({ IFD0: { Model: 'Phone' } })
    .jpeg({ quality: 92 })
    .toBuffer();
  const start = afterExif(source);
  const length = source.length + about.length + index(0, 0, 0).length;
  // Offsets count from the header of the index, after its marker, length and name.
  const header = start + about.length + 8;
  const own = index(length, second.length, length - header);
  const first = Buffer.concat([source.subarray(0, start), about, own, source.subarray(start)]);
  return new Uint8Array(Buffer.concat([first, second]));
}

/** Position after the Exif segment of a JPEG: PHP expects it before other data of applications. */
function afterExif(jpeg: Buffer): number {
  let place = 2;
  while (jpeg[place + 1] === 0xe0 || jpeg[place + 1] === 0xe1) place += 2 + jpeg.readUInt16BE(place + 2);
  return place;
}

function packet(attributes: string, content: string): string {
  return `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description ${NAMESPACES} ${attributes}>${content}</rdf:Description></rdf:RDF></x:xmpmeta>`;
}

function segment(marker: number, body: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(body.length + 2, 2);
  return Buffer.concat([head, body]);
}

/** Index of two images in one file (CIPA DC-007). */
function index(firstBytes: number, secondBytes: number, secondOffset: number): Buffer {
  const body = Buffer.alloc(4 + 8 + 2 + 36 + 4 + 32);
  body.write('MPF\0', 0, 'latin1');
  body.write('MM\0*', 4, 'latin1');
  body.writeUInt32BE(8, 8);
  body.writeUInt16BE(3, 12);
  const entry = (place: number, tag: number, type: number, count: number) => {
    body.writeUInt16BE(tag, place);
    body.writeUInt16BE(type, place + 2);
    body.writeUInt32BE(count, place + 4);
  };
  entry(14, 0xb000, 7, 4);
  body.write('0100', 22, 'latin1');
  entry(26, 0xb001, 4, 1);
  body.writeUInt32BE(2, 34);
  entry(38, 0xb002, 7, 32);
  body.writeUInt32BE(50, 46);
  body.writeUInt32BE(0x00030000, 54);
  body.writeUInt32BE(firstBytes, 58);
  body.writeUInt32BE(secondBytes, 74);
  body.writeUInt32BE(secondOffset, 78);
  return segment(0xe2, body);
}
