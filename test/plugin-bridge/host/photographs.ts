import { join } from 'node:path';
import sharp from 'sharp';
import { FIXTURES } from '../../support/api-client.ts';

let photo: Promise<{ data: Buffer; info: { width: number; height: number; channels: 1 | 2 | 3 | 4 } }> | null = null;

/** Makes different small photographs, 240 pixels wide. */
export async function photographs(count: number): Promise<{ name: string; bytes: Uint8Array }[]> {
  photo ??= sharp(join(FIXTURES, 'photos/photo-stream.jpg')).resize(720).raw().toBuffer({ resolveWithObject: true });
  const { data, info } = await photo;
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const cut = { left: (40 * index) % 440, top: 10 * (index % 20), width: 240, height: 180 };
      const picture = sharp(data, { raw: info }).extract(cut).jpeg({ quality: 98 });
      return { name: `photo-${index}.jpg`, bytes: new Uint8Array(await picture.toBuffer()) };
    }),
  );
}
