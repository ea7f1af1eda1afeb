import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { FIXTURES } from '../../support/api-client.ts';

/** Small photographs that differ, 240 pixels wide, as cameras write them. */
export async function photographs(count: number): Promise<{ name: string; bytes: Uint8Array }[]> {
  const photo = await readFile(join(FIXTURES, 'photos/photo-stream.jpg'));
  return Promise.all(
    Array.from({ length: count }, async (_, index) => ({
      name: `photo-${index}.jpg`,
      bytes: new Uint8Array(
        await sharp(photo)
          .extract({ left: 200 * index, top: 100, width: 1200, height: 900 })
          .resize(240)
          .jpeg({ quality: 98 })
          .toBuffer(),
      ),
    })),
  );
}
