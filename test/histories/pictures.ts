import sharp from 'sharp';
import { noiseImage, plainImage, type SmallImage } from '../support/small-images.ts';

/** Makes small pictures of all common formats. Some have the same name, one is there twice under two names. */
export async function makePictures(): Promise<SmallImage[]> {
  const noise = (name: string, seed: number) => noiseImage(name, { width: 40, height: 30, seed });
  const beach = await noise('beach.png', 1);
  const jpeg = await sharp((await noise('beach.jpg', 2)).bytes)
    .jpeg({ quality: 95 })
    .toBuffer();
  const webp = await sharp((await noise('Beach.webp', 3)).bytes)
    .webp({ quality: 95 })
    .toBuffer();
  return [
    beach,
    { name: 'beach.jpg', bytes: jpeg },
    { name: 'Beach.webp', bytes: webp },
    { ...beach, name: 'sea.png' },
    await noise('sea.png', 4),
    await noise('beach-2.png', 5),
    await plainImage('wall.gif', { format: 'gif' }),
  ];
}
