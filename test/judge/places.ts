import { readFileSync } from 'node:fs';
import { crc32, deflateSync, inflateSync } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';

/** A file whose place must not leave. */
export interface FileWithPlace {
  name: string;
  bytes: Buffer;
  /** Kinds that an upload must name. */
  names: string[];
}

/** Words that only private parts of the files hold. */
const MARKS = ['SecretPlace', 'SecretSerial', 'GPSLatitude', 'GPSLongitude', '39,21.102N'];
/** Latitude as a fraction that no encoder writes by chance. */
const FRACTION = [390_021, 10_007] as const;

const PACKET = [
  '<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/">',
  '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about=""',
  ' xmlns:exif="http://ns.adobe.com/exif/1.0/" xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/"',
  ' xmlns:aux="http://ns.adobe.com/exif/1.0/aux/" exif:GPSLatitude="39,21.102N" exif:GPSLongitude="74,26.5737W"',
  ' photoshop:City="SecretPlace" aux:SerialNumber="SecretSerial"/></rdf:RDF></x:xmpmeta><?xpacket end="w"?>',
].join('');
const IFD = {
  IFD2: { BodySerialNumber: 'SecretSerial', MakerNote: 'SecretSerial' },
  IFD3: { GPSLatitudeRef: 'N', GPSLatitude: `${FRACTION.join('/')} 0/1 0/1`, GPSAreaInformation: 'SecretPlace' },
};

/** Makes files of all formats with a place in each of the ways that programs write one. */
export async function filesWithPlaces(): Promise<FileWithPlace[]> {
  const formats = ['jpeg', 'png', 'webp', 'avif', 'tiff'] as const;
  const own = await Promise.all(formats.map(async (format) => inExifAndXmp(format, await drawn(format, withBoth))));
  const signed = await Promise.all([...formats, 'gif' as const].map(async (format) => inCredentials(format)));
  const animation = await sharp(Buffer.from([...Array(64 * 96 * 3).keys()].map((at) => (at * 37) % 251)), {
    raw: { width: 64, height: 96, channels: 3, pageHeight: 48 },
  });
  return [
    ...own,
    ...signed,
    ...(await inPngTexts()),
    { name: 'places.heic', bytes: fixture('heic/places.heic'), names: ['place', 'serial_numbers'] },
    {
      name: 'credentials.heic',
      bytes: SIGNERS.avif(fixture('heic/plain.heic')),
      names: ['place', 'content_credentials'],
    },
    { name: 'iptc.jpg', bytes: withIptc(await drawn('jpeg')), names: ['place'] },
    {
      name: 'moving.webp',
      bytes: await withBoth(animation.clone())
        .webp({ loop: 0, delay: [90, 90] })
        .toBuffer(),
      names: ['place'],
    },
    {
      name: 'xmp.gif',
      bytes: withGifXmp(
        await animation
          .clone()
          .gif({ delay: [90, 90] })
          .toBuffer(),
      ),
      names: ['place'],
    },
    { name: 'c2pa-stds.exif.jpg', bytes: field('c2pa-stds.exif.jpg'), names: ['place', 'content_credentials'] },
    { name: 'c2pa-c2pa.metadata.jpg', bytes: field('c2pa-c2pa.metadata.jpg'), names: ['place', 'content_credentials'] },
    { name: 'behind.jpg', bytes: Buffer.concat([await drawn('jpeg'), await drawn('jpeg', withBoth)]), names: [] },
  ];
}

const fixture = (path: string) => readFileSync(new URL(`../fixtures/${path}`, import.meta.url));
const field = (name: string) => fixture(`field/${name}`);
const withBoth = (image: Sharp) => image.withExif(IFD).withXmp(PACKET);

function drawn(
  format: 'jpeg' | 'png' | 'webp' | 'avif' | 'tiff' | 'gif',
  add = (image: Sharp) => image,
): Promise<Buffer> {
  const image = add(sharp({ create: { width: 64, height: 48, channels: 3, background: '#a63' } }));
  // So small that the upload is kept rather than encoded again.
  return format === 'png'
    ? image.png({ palette: true }).toBuffer()
    : image[format](format === 'tiff' || format === 'gif' ? {} : { quality: 10 }).toBuffer();
}

function inExifAndXmp(format: string, bytes: Buffer): FileWithPlace {
  return { name: `both.${format}`, bytes, names: ['place', 'serial_numbers'] };
}

/** The JUMBF boxes of the file from the field. */
function manifest(): Buffer {
  const file = field('c2pa-stds.exif.jpg');
  const at = file.indexOf('jumb', 0, 'latin1') - 4;
  return file.subarray(at, at + file.readUInt32BE(at));
}

async function inCredentials(format: 'jpeg' | 'png' | 'webp' | 'avif' | 'tiff' | 'gif'): Promise<FileWithPlace> {
  const file = await drawn(format);
  return { name: `credentials.${format}`, bytes: SIGNERS[format](file), names: ['place', 'content_credentials'] };
}

const SIGNERS = {
  jpeg: (file) => {
    // In two segments, of which the second repeats the header of the box.
    const boxes = manifest();
    const half = boxes.length >> 1;
    const parts = [boxes.subarray(0, half), Buffer.concat([boxes.subarray(0, 8), boxes.subarray(half)])];
    const segments = parts.map((part, index) =>
      Buffer.concat([
        Buffer.from([0xff, 0xeb]),
        u16(part.length + 10),
        Buffer.from(`JP\0\x01\0\0\0${String.fromCharCode(index + 1)}`, 'latin1'),
        part,
      ]),
    );
    const at = file[3] === 0xe0 ? 4 + file.readUInt16BE(4) : 2;
    return Buffer.concat([file.subarray(0, at), ...segments, file.subarray(at)]);
  },
  png: (file) => withChunk(file, 'caBX', manifest()),
  webp: (file) => {
    const boxes = manifest();
    const chunk = Buffer.concat([
      Buffer.from('C2PA'),
      u32(boxes.length).swap32(),
      boxes,
      Buffer.alloc(boxes.length % 2),
    ]);
    const copy = Buffer.concat([file, chunk]);
    copy.writeUInt32LE(copy.length - 8, 4);
    return copy;
  },
  avif: (file) => {
    const boxes = manifest();
    const uuid = Buffer.from('d8fec3d61b0e483c92975828877ec481', 'hex');
    const head = Buffer.concat([uuid, u32(0), Buffer.from('manifest\0'), Buffer.alloc(8)]);
    return Buffer.concat([file, u32(8 + head.length + boxes.length), Buffer.from('uuid'), head, boxes]);
  },
  tiff: (file) => {
    const [boxes, first] = [manifest(), file.readUInt32LE(4)];
    const count = file.readUInt16LE(first);
    const entries = file.subarray(first + 2, first + 2 + count * 12);
    const entry = Buffer.alloc(12);
    entry.writeUInt16LE(52_545, 0);
    entry.writeUInt16LE(7, 2);
    entry.writeUInt32LE(boxes.length, 4);
    entry.writeUInt32LE(file.length, 8);
    const copy = Buffer.concat([file, boxes, u16(count + 1).swap16(), entries, entry, u32(0)]);
    copy.writeUInt32LE(file.length + boxes.length, 4);
    return copy;
  },
  gif: (file) => {
    const boxes = manifest();
    const blocks: Buffer[] = [];
    for (let at = 0; at < boxes.length; at += 255) {
      const part = boxes.subarray(at, at + 255);
      blocks.push(Buffer.from([part.length]), part);
    }
    const extension = Buffer.concat([
      Buffer.from('\x21\xff\x0bC2PA_GIF\x01\0\0', 'latin1'),
      ...blocks,
      Buffer.alloc(1),
    ]);
    return Buffer.concat([file.subarray(0, -1), extension, file.subarray(-1)]);
  },
} satisfies Record<string, (file: Buffer) => Buffer>;

async function inPngTexts(): Promise<FileWithPlace[]> {
  const { exif } = await sharp(await drawn('jpeg', withBoth)).metadata();
  const plain = await drawn('png');
  const raw = (name: string, block: Buffer) => {
    const digits = block.toString('hex').replace(/.{72}/g, '$&\n');
    const text = Buffer.from(`\n${name}\n${String(block.length).padStart(8)}\n${digits}\n`);
    return withChunk(plain, 'zTXt', Buffer.concat([Buffer.from(`Raw profile type ${name}\0\0`), deflateSync(text)]));
  };
  const xmpOfApp1 = Buffer.from(`http://ns.adobe.com/xap/1.0/\0${PACKET}`);
  const texts: [string, Buffer][] = [
    ['raw-exif', raw('exif', exif as Buffer)],
    ['raw-app1', raw('APP1', xmpOfApp1)],
    ['raw-xmp', raw('xmp', Buffer.from(PACKET))],
    ['raw-iptc', raw('iptc', iptcResource())],
    ['text', withChunk(plain, 'tEXt', Buffer.from('exif:GPSLatitude\x0039,21.102N', 'latin1'))],
    ['location', withChunk(plain, 'iTXt', Buffer.from('Location\0\0\0\0\0SecretPlace'))],
  ];
  return texts.map(([name, bytes]) => ({ name: `${name}.png`, bytes, names: ['place'] }));
}

function withChunk(png: Buffer, type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  return Buffer.concat([png.subarray(0, 33), u32(data.length), body, u32(crc32(body)), png.subarray(33)]);
}

/** City (2:90) in Photoshop's image resources. */
function iptcResource(): Buffer {
  const city = Buffer.from('SecretPlace');
  const data = Buffer.concat([Buffer.from([0x1c, 2, 90, 0, city.length]), city]);
  const resource = Buffer.concat([
    Buffer.from('8BIM\x04\x04\0\0', 'latin1'),
    u32(data.length),
    data,
    Buffer.alloc(data.length % 2),
  ]);
  return resource;
}

function withIptc(jpeg: Buffer): Buffer {
  const block = Buffer.concat([Buffer.from('Photoshop 3.0\0'), iptcResource()]);
  return Buffer.concat([
    jpeg.subarray(0, 2),
    Buffer.from([0xff, 0xed]),
    u16(block.length + 2),
    block,
    jpeg.subarray(2),
  ]);
}

function withGifXmp(gif: Buffer): Buffer {
  const trailer = Buffer.from([1, ...[...Array(256).keys()].map((at) => 255 - at), 0]);
  const extension = Buffer.concat([Buffer.from('\x21\xff\x0bXMP DataXMP', 'latin1'), Buffer.from(PACKET), trailer]);
  return Buffer.concat([gif.subarray(0, -1), extension, gif.subarray(-1)]);
}

function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** Returns the marks of a place that the bytes of a file hold, packed texts of a PNG included. */
export function placesIn(file: Buffer): string[] {
  const parts = [file, ...packedTexts(file)];
  const fractions = [littleFraction(), littleFraction().swap32()];
  const found = MARKS.filter((mark) => parts.some((part) => part.includes(mark)));
  return fractions.some((fraction) => parts.some((part) => part.includes(fraction))) ? [...found, 'fraction'] : found;
}

function littleFraction(): Buffer {
  const bytes = Buffer.alloc(8);
  for (const [index, value] of FRACTION.entries()) bytes.writeUInt32LE(value, index * 4);
  return bytes;
}

function packedTexts(file: Buffer): Buffer[] {
  if (file.toString('latin1', 1, 4) !== 'PNG') return [];
  const texts: Buffer[] = [];
  for (let at = 8; at + 12 <= file.length; at += 12 + file.readUInt32BE(at)) {
    const data = file.subarray(at + 8, at + 8 + file.readUInt32BE(at));
    const from = data.indexOf('x', 0, 'latin1');
    if (!['zTXt', 'iTXt'].includes(file.toString('latin1', at + 4, at + 8)) || from < 0) continue;
    try {
      const text = inflateSync(data.subarray(data.indexOf(0x78, data.indexOf(0))));
      texts.push(text, Buffer.from(text.toString('latin1').replace(/^\s*\w+\s+\d+|\s/g, ''), 'hex'));
    } catch {
      // Not packed.
    }
  }
  return texts;
}
