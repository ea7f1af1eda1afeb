import { readFile } from 'node:fs/promises';
import sharp, { type Sharp } from 'sharp';
import { expect, test } from 'vitest';
import { readImageSize } from '../../../../widget/state/uploads/image-size.ts';
import { FIXTURES } from '../../../support/api-client.ts';
import { startOptimizer } from '../started-optimizer.ts';

const blobOf = (bytes: Uint8Array) => new Blob([bytes as Uint8Array<ArrayBuffer>]);
const drawn = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 4, background: { r: 10, g: 200, b: 90, alpha: 0.5 } } });

test.each([
  ['jpeg', (image: Sharp) => image.jpeg()],
  ['progressive jpeg', (image: Sharp) => image.jpeg({ progressive: true })],
  ['png', (image: Sharp) => image.png()],
  ['gif', (image: Sharp) => image.gif()],
  ['lossy webp', (image: Sharp) => image.flatten().webp()],
  ['lossless webp', (image: Sharp) => image.flatten().webp({ lossless: true })],
  ['webp with transparency', (image: Sharp) => image.webp()],
  ['avif', (image: Sharp) => image.avif({ effort: 0 })],
])('%s: width and height without decoding', async (_name, encode) => {
  const bytes = await encode(drawn(321, 123)).toBuffer();
  expect(await readImageSize(blobOf(bytes))).toEqual({ width: 321, height: 123 });
});

test('real photographs say the size that decoding them says', async () => {
  for (const name of ['photo-brushes.jpg', 'photo-mountains.jpg', 'art-gradient.png']) {
    const bytes = await readFile(`${FIXTURES}photos/${name}`);
    const { width, height } = await sharp(bytes).metadata();
    expect(await readImageSize(blobOf(bytes))).toEqual({ width, height });
  }
});

test.each([
  'RIFF....WEBPVP8 ',
  'RIFF....WEBPVP8L',
  'RIFF....WEBPjunk',
  '\x89PNG\r\n\x1a\n....junk',
  '<!doctype html><title>a page</title>',
  '%PDF-1.7 of a scan',
])('%s before random bytes is no image', async (head) => {
  const noise = Uint8Array.from({ length: 400 }, (_, at) => (at * 197 + 61) % 251);
  expect(await readImageSize(blobOf(Buffer.concat([Buffer.from(head, 'latin1'), noise])))).toBe(false);
});

test('every file of a format that the service reads is taken for an image, whatever it is called', async () => {
  const names = [
    'tiff-multipage.tif',
    'tiff-float32.tif',
    'heic-hevc.heic',
    'png-named-as.jpg',
    'jpeg-header-only.jpg',
  ];
  for (const name of [...names, 'animated.webp', 'webp-lossless.webp', 'png-1x1.png', 'polyglot-jpeg-zip.jpg']) {
    expect(await readImageSize(blobOf(await readFile(`${FIXTURES}nasty/${name}`))), name).not.toBe(false);
  }
  for (const name of ['html-renamed.png', 'text-renamed.jpg', 'random-bytes.webp', 'bmp-input.bmp']) {
    expect(await readImageSize(blobOf(await readFile(`${FIXTURES}nasty/${name}`))), name).toBe(false);
  }
});

test('what is cut off has no size', async () => {
  const bytes = await drawn(10, 10).jpeg().toBuffer();
  for (let length = 0; length < 150; length += 7) {
    const size = await readImageSize(blobOf(bytes.subarray(0, length)));
    if (size) expect(size).toEqual({ width: 10, height: 10 });
  }
});

test('an image with too many pixels is rejected before it is sent', async () => {
  const { optimizer } = startOptimizer({ restrictions: { maxPixels: 10_000 }, autoUpload: false });
  const fileFrom = async (name: string, side: number) =>
    new File([(await drawn(side, side).png().toBuffer()) as Uint8Array<ArrayBuffer>], name, { type: 'image/png' });
  const { added, rejections } = await optimizer.addFiles([
    await fileFrom('small.png', 100),
    await fileFrom('large.png', 101),
  ]);
  expect(added.map(({ name }) => name)).toEqual(['small.png']);
  expect(rejections).toMatchObject([{ name: 'large.png', code: 'pixels' }]);
});
