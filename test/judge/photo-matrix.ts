import sharp from 'sharp';
import { ADOBE_RGB, BT2020, DISPLAY_P3, greyProfile, LINEAR_SRGB, matrixProfile, SRGB } from './icc-file.ts';
import { HEIGHT, type JudgedFile, samplesOf, WIDTH } from './patches.ts';

const PROFILES: Record<string, Buffer> = {
  srgb: matrixProfile(SRGB),
  p3: matrixProfile(DISPLAY_P3),
  adobe: matrixProfile(ADOBE_RGB),
  linear: matrixProfile(LINEAR_SRGB),
  2020: matrixProfile(BT2020),
};

/** JPEGs and WebPs with and without profiles, in colour, grey and with alpha. */
export async function photoMatrix(): Promise<JudgedFile[]> {
  const raw = (channels: 1 | 3 | 4) => ({ raw: { width: WIDTH, height: HEIGHT, channels } });
  const open = (type: 'grey' | 'rgb' | 'rgba', channels: 1 | 3 | 4) =>
    sharp(Buffer.from(samplesOf(type, 8)), raw(channels)).toColourspace(channels === 1 ? 'b-w' : 'srgb');
  const jpeg = { quality: 100, chromaSubsampling: '4:4:4' };
  const colour = await open('rgb', 3).jpeg(jpeg).toBuffer();
  const progressive = await open('rgb', 3)
    .jpeg({ ...jpeg, progressive: true })
    .toBuffer();
  const grey = await open('grey', 1).jpeg(jpeg).toBuffer();
  const lossless = await open('rgb', 3).webp({ lossless: true }).toBuffer();
  const lossy = await open('rgb', 3).webp({ quality: 100 }).toBuffer();
  const alpha = await open('rgba', 4).webp({ lossless: true, exact: true }).toBuffer();
  const files: JudgedFile[] = [
    { name: 'jpeg rgb none', format: 'jpeg', bytes: colour },
    { name: 'jpeg grey none', format: 'jpeg', bytes: grey },
    { name: 'jpeg grey icc 1.0', format: 'jpeg', bytes: jpegWith(grey, greyProfile(1)) },
    { name: 'jpeg grey icc 2.2', format: 'jpeg', bytes: jpegWith(grey, greyProfile(2.2)) },
    { name: 'jpeg grey icc of rgb', format: 'jpeg', bytes: jpegWith(grey, matrixProfile(LINEAR_SRGB)) },
    { name: 'webp rgb none', format: 'webp', bytes: lossless },
    { name: 'webp rgba none', format: 'webp', bytes: alpha },
  ];
  for (const [name, profile] of Object.entries(PROFILES)) {
    files.push(
      { name: `jpeg rgb ${name}`, format: 'jpeg', bytes: jpegWith(colour, profile) },
      { name: `jpeg progressive ${name}`, format: 'jpeg', bytes: jpegWith(progressive, profile) },
      { name: `webp lossless ${name}`, format: 'webp', bytes: webpWith(lossless, profile, false) },
      { name: `webp lossy ${name}`, format: 'webp', bytes: webpWith(lossy, profile, false) },
      { name: `webp rgba ${name}`, format: 'webp', bytes: webpWith(alpha, profile, true) },
    );
  }
  return files;
}

/** Adds a profile in an APP2 segment (ICC.1:2022, B.4). */
function jpegWith(file: Buffer, profile: Buffer): Buffer {
  const head = Buffer.from('\xff\xe2\0\0ICC_PROFILE\0\x01\x01', 'latin1');
  head.writeUInt16BE(head.length - 2 + profile.length, 2);
  return Buffer.concat([file.subarray(0, 2), head, profile, file.subarray(2)]);
}

/** Writes the extended form of a WebP (RFC 9649, 2.7) with a profile. */
function webpWith(file: Buffer, profile: Buffer, hasAlpha: boolean): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const head = Buffer.alloc(8);
    head.write(type, 'latin1');
    head.writeUInt32LE(data.length, 4);
    return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
  };
  const extended = Buffer.alloc(10);
  extended[0] = 0x20 | (hasAlpha ? 0x10 : 0);
  extended.writeUIntLE(WIDTH - 1, 4, 3);
  extended.writeUIntLE(HEIGHT - 1, 7, 3);
  // The pixels are in the first chunk of a simple file.
  const body = Buffer.concat([Buffer.from('WEBP'), chunk('VP8X', extended), chunk('ICCP', profile), pixelChunks(file)]);
  return chunk('RIFF', body);
}

function pixelChunks(file: Buffer): Buffer {
  const simple = file.toString('latin1', 12, 16) !== 'VP8X';
  return file.subarray(simple ? 12 : 30);
}
