import sharp from 'sharp';
import { FIXTURES } from '../support/api-client.ts';
import type { SmallImage } from '../support/small-images.ts';

const SOURCES = [
  'photo-brushes.jpg',
  'photo-dandelion.jpg',
  'photo-dogs-portrait.jpg',
  'photo-mountains.jpg',
  'photo-stream.jpg',
  'render-tiles.webp',
  'screenshot-dashboard.png',
];
const WIDTHS = [240, 320, 400, 480, 640, 800];

/** Makes `count` photographs of mixed sizes and formats, no two alike. */
export async function smallPhotographs(count: number): Promise<SmallImage[]> {
  const made: SmallImage[] = [];
  for (let index = 0; index < count; index += 1) {
    const source = SOURCES[index % SOURCES.length] ?? '';
    const width = (WIDTHS[index % WIDTHS.length] ?? 0) + index;
    const image = sharp(`${FIXTURES}photos/${source}`).resize({ width });
    const format = index % 5 === 4 ? 'png' : 'jpeg';
    const bytes = await (format === 'png'
      ? image.png({ compressionLevel: 1 })
      : image.jpeg({ quality: 90 })
    ).toBuffer();
    made.push({ name: `${source.replace(/\.\w+$/, '')}-${index}.${format === 'png' ? 'png' : 'jpg'}`, bytes });
  }
  return made;
}
