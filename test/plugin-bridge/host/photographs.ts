import { join } from 'node:path';
import sharp from 'sharp';
import { FIXTURES } from '../../support/api-client.ts';

/** Makes different photographs with sides of 4:3, so many pixels wide: small ones unless `width` says otherwise. */
export async function photographs(count: number, { width = 240 } = {}): Promise<{ name: string; bytes: Uint8Array }[]> {
  const photo = sharp(join(FIXTURES, 'photos/photo-stream.jpg')).resize(3 * width);
  const { data, info } = await photo.raw().toBuffer({ resolveWithObject: true });
  const step = width / 24;
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const cut = { left: Math.floor(4 * step * (index % 11)), top: Math.floor(step * (index % 20)) };
      const picture = sharp(data, { raw: info }).extract({ ...cut, width, height: 0.75 * width });
      return { name: `photo-${index}.jpg`, bytes: new Uint8Array(await picture.jpeg({ quality: 98 }).toBuffer()) };
    }),
  );
}
