import sharp, { type Sharp } from 'sharp';

/** Makes an Ultra HDR photograph whose light is known. @param light linear, 0 to 1: the brightest that its map can tell */
export async function makeUltraHdr(
  { width, height }: { width: number; height: number },
  light: (x: number, y: number) => number,
): Promise<Buffer> {
  const pixels = new Float32Array(width * height * 3);
  for (let at = 0; at < width * height; at += 1)
    pixels.fill(encoded(light(at % width, Math.floor(at / width))) * 65_535, at * 3, at * 3 + 3);
  // The types of the library do not have the method yet.
  const image = sharp(pixels, { raw: { width, height, channels: 3 } }) as Sharp & { withGainMap(): Sharp };
  return image.withGainMap().jpeg({ quality: 95 }).toBuffer();
}

/** Applies the transfer function of sRGB. */
function encoded(linear: number): number {
  return linear <= 0.0031308 ? 12.92 * linear : 1.055 * linear ** (1 / 2.4) - 0.055;
}

/** The two images of a file, by its list of images (CIPA DC-007). @throws if the list is missing or wrong */
export function splitImages(file: Buffer): [base: Buffer, map: Buffer] {
  const at = file.indexOf('MPF\0', 0, 'latin1') + 4;
  if (at < 4) throw new Error('expected a list of images');
  const tiff = file.subarray(at);
  const little = tiff.toString('latin1', 0, 2) === 'II';
  const u32 = (where: number) => (little ? tiff.readUInt32LE(where) : tiff.readUInt32BE(where));
  const u16 = (where: number) => (little ? tiff.readUInt16LE(where) : tiff.readUInt16BE(where));
  const directory = u32(4);
  const entry = Array.from({ length: u16(directory) }, (_, index) => directory + 2 + index * 12).find(
    (where) => u16(where) === 0xb002,
  );
  if (entry === undefined || u32(entry + 4) !== 32) throw new Error('expected two images');
  const list = u32(entry + 8);
  const [baseBytes, mapBytes, mapAt] = [u32(list + 4), u32(list + 20), at + u32(list + 24)];
  if (mapAt !== baseBytes || mapAt + mapBytes !== file.length)
    throw new Error('expected the map behind the photograph');
  return [file.subarray(0, baseBytes), file.subarray(mapAt)];
}

/** Numbers that turn a value of the map into a gain. */
export interface GainParameters {
  min: number;
  max: number;
  gamma: number;
}

/** Reads the parameters of ISO 21496-1. */
export function isoParameters(map: Buffer): GainParameters {
  const signature = 'urn:iso:std:iso:ts:21496:-1\0';
  const at = map.indexOf(signature, 0, 'latin1') + signature.length;
  if (at < signature.length) throw new Error('expected parameters of ISO 21496-1');
  const ratio = (where: number) => map.readInt32BE(at + where) / map.readUInt32BE(at + where + 4);
  // Two versions and the flags, then the headroom of both images.
  return { min: ratio(21), max: ratio(29), gamma: ratio(37) };
}

/** Reads the parameters of Ultra HDR 1.1. */
export function xmpParameters(map: Buffer): GainParameters {
  const text = map.toString('latin1');
  const read = (name: string) => Number(new RegExp(`hdrgm:${name}="([^"]+)"`).exec(text)?.[1]);
  return { min: read('GainMapMin'), max: read('GainMapMax'), gamma: read('Gamma') };
}

/** Returns the gain at a point, given in parts of width and height. */
export async function gainAt(map: Buffer, { min, max, gamma }: GainParameters, x: number, y: number): Promise<number> {
  const { data, info } = await sharp(map, { ignoreIcc: true } as object)
    .toColourspace('b-w')
    .raw()
    .toBuffer({ resolveWithObject: true });
  const column = Math.min(info.width - 1, Math.floor(x * info.width));
  const row = Math.min(info.height - 1, Math.floor(y * info.height));
  const value = (data[(row * info.width + column) * info.channels] ?? 0) / 255;
  return 2 ** (min + (max - min) * value ** (1 / gamma));
}
