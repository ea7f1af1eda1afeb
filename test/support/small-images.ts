import sharp from 'sharp';

/** A file to upload. */
export interface SmallImage {
  name: string;
  bytes: Uint8Array;
}

/** A picture of one colour, which encodes in no time. Equal arguments give equal bytes. */
export async function plainImage(
  name: string,
  { width = 40, height = 30, colour = '#3366cc', format = 'png' as 'png' | 'jpeg' | 'webp' | 'gif' } = {},
): Promise<SmallImage> {
  const image = sharp({ create: { width, height, channels: 3, background: colour } });
  return { name, bytes: await image.toFormat(format).toBuffer() };
}

/** `count` small pictures from the number `from` on that differ in colour, so that no two share their encoding. */
export function plainImages(
  count: number,
  { from = 0, ...options }: { from?: number; width?: number; height?: number } = {},
): Promise<SmallImage[]> {
  const make = (_: unknown, index: number) => {
    const colour = `#${(0x100000 + (from + index) * 9973).toString(16).slice(-6)}`;
    return plainImage(`picture-${from + index}.png`, { ...options, colour });
  };
  return Promise.all(Array.from({ length: count }, make));
}

/** A picture of noise: takes the encoder a while, and its bytes differ by seed. */
export async function noiseImage(name: string, { width = 600, height = 400, seed = 1 } = {}): Promise<SmallImage> {
  const pixels = Buffer.alloc(width * height * 3);
  let state = seed * 2_654_435_761;
  for (let index = 0; index < pixels.length; index += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    pixels[index] = state >>> 24;
  }
  const bytes = await sharp(pixels, { raw: { width, height, channels: 3 } })
    .png({ compressionLevel: 1 })
    .toBuffer();
  return { name, bytes };
}
