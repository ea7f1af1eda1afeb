import { join } from 'node:path';
import sharp from 'sharp';
import { FIXTURES } from '../../support/api-client.ts';

/** A picture to upload. */
export interface Picture {
  name: string;
  bytes: Uint8Array;
  type: 'image/jpeg' | 'image/png' | 'image/heic';
}

/**
 * Sources in `test/fixtures/photos` and the sizes that they are cropped to, as cameras, phones and editors make them. Dense textures, of
 * which WebP gains little, and soft backgrounds are both among them.
 */
const PICTURES = [
  { name: 'dandelion.jpg', source: 'photo-dandelion.jpg', width: 4000, height: 2250 },
  { name: 'nuthatch.jpg', source: 'photo-nuthatch.jpg', width: 3600, height: 2025 },
  { name: 'mountains.jpg', source: 'photo-mountains.jpg', width: 3200, height: 2400 },
  { name: 'stream.jpg', source: 'photo-stream.jpg', width: 3000, height: 2000 },
  { name: 'dogs.jpg', source: 'photo-dogs-portrait.jpg', width: 2000, height: 3000 },
  { name: 'feathers.jpg', source: 'photo-nuthatch.jpg', width: 2400, height: 1350 },
  { name: 'friends.jpg', source: 'photo-dogs-portrait.jpg', width: 1920, height: 1280 },
  { name: 'seeds.jpg', source: 'photo-dandelion.jpg', width: 1600, height: 1200 },
  { name: 'brushes.jpg', source: 'photo-brushes.jpg', width: 1360, height: 1070 },
  { name: 'bird.jpg', source: 'photo-nuthatch.jpg', width: 1200, height: 1200 },
  { name: 'screen.png', source: 'screenshot-dashboard.png', width: 2880, height: 2048 },
  { name: 'poster.png', source: 'art-flat-vector.png', width: 2000, height: 1320 },
  { name: 'badge.png', source: 'graphic-badge-alpha.png', width: 1200, height: 1200 },
] as const;

/** Name of a picture. */
export type PictureName = (typeof PICTURES)[number]['name'];

/** Makes the pictures of the pages: 1,200 to 4,000 px wide, photographs as JPEG, screens and graphics as PNG. */
export function makePictures(): Promise<(Picture & { name: PictureName })[]> {
  return Promise.all(
    PICTURES.map(async ({ name, source, width, height }) => {
      const image = sharp(join(FIXTURES, 'photos', source))
        .rotate()
        .resize({ width, height, fit: 'cover' });
      const isPng = name.endsWith('.png');
      const encoded = isPng ? image.png() : image.jpeg({ quality: 88 });
      return {
        name,
        bytes: new Uint8Array(await encoded.toBuffer()),
        type: isPng ? 'image/png' : 'image/jpeg',
      } as const;
    }),
  );
}
