import sharp from 'sharp';

/** AV1 data of one picture and its configuration. */
export interface Av1 {
  width: number;
  height: number;
  bits: number;
  planes: 1 | 3;
  data: Buffer;
  /** Content of the `av1C` box. */
  configuration: Buffer;
}

/** Code points of ITU-T H.273. */
export interface Nclx {
  primaries: number;
  transfer: number;
  matrix?: number;
  fullRange?: boolean;
}

/** An AVIF to write. */
export interface AvifPicture {
  colour: Av1;
  alpha?: Av1;
  premultiplied?: boolean;
  nclx?: Nclx;
  icc?: Buffer;
  /** Quarter turns against the clock. */
  irot?: 0 | 1 | 2 | 3;
  /** 0: top and bottom change places, 1: left and right. */
  imir?: 0 | 1;
}

/** Encodes samples as AV1: only here the image library is needed, since nothing else encodes AV1. */
export async function encodeAv1(
  samples: Buffer | Uint16Array,
  size: { width: number; height: number; channels: 1 | 3 },
  bits: 8 | 10 | 12 = 8,
): Promise<Av1> {
  const raw = { width: size.width, height: size.height, channels: size.channels };
  const image = sharp(samples, { raw });
  if (size.channels === 1) image.toColourspace(bits === 8 ? 'b-w' : 'grey16');
  else if (bits > 8) image.toColourspace('rgb16');
  const file = await image.avif({ quality: 100, chromaSubsampling: '4:4:4', bitdepth: bits }).toBuffer();
  const box = file.indexOf('av1C', 0, 'latin1');
  const media = file.indexOf('mdat', 0, 'latin1');
  return {
    ...{ width: size.width, height: size.height, bits, planes: size.channels },
    configuration: file.subarray(box + 4, box - 4 + file.readUInt32BE(box - 4)),
    data: file.subarray(media + 4, media - 4 + file.readUInt32BE(media - 4)),
  };
}

/** Writes an AVIF by ISO 23008-12, with the properties that are asked for and no other. */
export function writeAvif({ colour, alpha, premultiplied, nclx, icc, irot, imir }: AvifPicture): Buffer {
  const properties: Buffer[] = [];
  const add = (type: string, content: Buffer) => properties.push(box(type, content));
  const ofItem = (picture: Av1) => [
    add('ispe', Buffer.concat([u32(0), u32(picture.width), u32(picture.height)])),
    add('pixi', Buffer.from([0, 0, 0, 0, picture.planes, ...Array<number>(picture.planes).fill(picture.bits)])),
    add('av1C', picture.configuration) | 0x80,
  ];
  const shown = ofItem(colour);
  if (nclx) shown.push(add('colr', nclxContent(nclx)));
  if (icc) shown.push(add('colr', Buffer.concat([Buffer.from('prof', 'latin1'), icc])));
  const turns = [
    ...(irot === undefined ? [] : [add('irot', Buffer.from([irot])) | 0x80]),
    ...(imir === undefined ? [] : [add('imir', Buffer.from([imir])) | 0x80]),
  ];
  const items = [{ id: 1, picture: colour, associations: [...shown, ...turns] }];
  if (alpha) {
    const kind = box(
      'auxC',
      Buffer.concat([u32(0), Buffer.from('urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0', 'latin1')]),
    );
    const associations = ofItem(alpha);
    properties.push(kind);
    items.push({ id: 2, picture: alpha, associations: [...associations, properties.length | 0x80, ...turns] });
  }
  const references = alpha ? [reference('auxl', 2, 1), ...(premultiplied ? [reference('prem', 1, 2)] : [])] : [];
  const ftyp = box('ftyp', Buffer.from('avif\0\0\0\0avifmif1miafMA1B', 'latin1'));
  const meta = (at: number) =>
    full('meta', 0, [
      full('hdlr', 0, [u32(0), Buffer.from('pict', 'latin1'), Buffer.alloc(13)]),
      full('pitm', 0, [u16(1)]),
      full('iloc', 0, [
        u16(0x4400),
        u16(items.length),
        ...locations(
          items.map(({ picture }) => picture.data),
          at,
        ),
      ]),
      full('iinf', 0, [
        u16(items.length),
        ...items.map(({ id }) => full('infe', 2, [u16(id), u16(0), Buffer.from('av01\0', 'latin1')])),
      ]),
      ...(references.length > 0 ? [full('iref', 0, references)] : []),
      box(
        'iprp',
        Buffer.concat([
          box('ipco', Buffer.concat(properties)),
          full('ipma', 0, [u32(items.length), ...items.map(association)]),
        ]),
      ),
    ]);
  const head = ftyp.length + meta(0).length + 8;
  return Buffer.concat([ftyp, meta(head), box('mdat', Buffer.concat(items.map(({ picture }) => picture.data)))]);
}

function locations(media: Buffer[], from: number): Buffer[] {
  let at = from;
  return media.map((data, index) => {
    const entry = Buffer.concat([u16(index + 1), u16(0), u16(1), u32(at), u32(data.length)]);
    at += data.length;
    return entry;
  });
}

const association = ({ id, associations }: { id: number; associations: number[] }) =>
  Buffer.concat([u16(id), Buffer.from([associations.length, ...associations])]);

const reference = (type: string, from: number, to: number) => box(type, Buffer.concat([u16(from), u16(1), u16(to)]));

function nclxContent({ primaries, transfer, matrix = 6, fullRange = true }: Nclx): Buffer {
  return Buffer.concat([
    Buffer.from('nclx', 'latin1'),
    ...[primaries, transfer, matrix].map(u16),
    Buffer.from([fullRange ? 0x80 : 0]),
  ]);
}

const full = (type: string, version: number, parts: Buffer[]) =>
  box(type, Buffer.concat([u32(version * 0x1000000), ...parts]));

function box(type: string, content: Buffer): Buffer {
  return Buffer.concat([u32(content.length + 8), Buffer.from(type, 'latin1'), content]);
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}
