import sharp from 'sharp';
import { fixture, photograph } from '../rig.ts';
import { ultraHdr } from './ultra-hdr.ts';

/** A file to upload. */
export interface EditorFile {
  name: string;
  mimeType: string;
  buffer: Buffer;
}

/** Makes the twelve files of a round, in the formats that editors upload. Each round has other pixels, so nothing is in a cache. */
export async function editorFiles(round: number): Promise<EditorFile[]> {
  const jpeg = (width: number, name: string) => photograph(width + round, { name: `photo-${name}.jpg` });
  const as = (bytes: Uint8Array, format: 'avif' | 'webp' | 'png') =>
    sharp(bytes)
      .toFormat(format, format === 'png' ? {} : { quality: 90 })
      .toBuffer();
  const large = { 'mountains.jpg': await jpeg(3000, 'mountains'), 'stream.jpg': await jpeg(2700, 'stream') };
  const files: Record<string, Uint8Array> = {
    ...large,
    'dandelion.jpg': await jpeg(1600, 'dandelion'),
    'nuthatch.jpg': await jpeg(900, 'nuthatch'),
    'dogs.jpg': await jpeg(700, 'dogs-portrait'),
    'bird.png': await as(await jpeg(1000, 'nuthatch'), 'png'),
    'badge.png': await resized('photos/graphic-badge-alpha.png', 800 + round),
    'animated.gif': await fixture('nasty/animated.gif'),
    'turned.jpg': await fixture('nasty/jpeg-exif-orientation-6.jpg'),
    'seeds.avif': await as(await jpeg(1200, 'dandelion'), 'avif'),
    'brushes.webp': await as(await jpeg(1100, 'brushes'), 'webp'),
    'phone.jpg': await ultraHdr(await jpeg(1800, 'stream')),
  };
  return Object.entries(files).map(([name, bytes]) => ({
    name,
    mimeType: `image/${name.replace(/.*\./, '').replace('jpg', 'jpeg')}`,
    buffer: Buffer.from(bytes),
  }));
}

async function resized(path: string, width: number): Promise<Uint8Array> {
  return sharp(await fixture(path))
    .resize({ width })
    .png()
    .toBuffer();
}
