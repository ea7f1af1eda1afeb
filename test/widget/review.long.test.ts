import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fixture, openWidgetRig, text, type WidgetRig } from '../support/widget-rig.ts';
import { focused } from './elements/elements-rig.ts';

const COUNT = 30;
/** Time that the script reads each image, in milliseconds. */
const READING_MS = 1000;
const PHOTOS = ['brushes', 'dandelion', 'dogs-portrait', 'mountains', 'nuthatch', 'stream'];

let rig: WidgetRig;
let folder: string;

beforeAll(async () => {
  rig = await openWidgetRig();
  folder = await mkdtemp(join(tmpdir(), 'imagewright-photos-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** Makes photographs as phones do: 12 megapixels, each with its own bytes. */
async function phonePhotos(): Promise<string[]> {
  const paths: string[] = [];
  for (let index = 0; index < COUNT; index += 1) {
    const name = PHOTOS[index % PHOTOS.length];
    const photo = sharp(fixture(`photos/photo-${name}.jpg`)).modulate({ brightness: 1 + index / 300 });
    const path = join(folder, `IMG_${1000 + index}.jpg`);
    await writeFile(path, await photo.resize(4032, 3024, { fit: 'cover' }).jpeg({ quality: 82 }).toBuffer());
    paths.push(path);
  }
  return paths;
}

it('takes at most a minute beside the reading from 30 added photographs to 30 reviewed texts', async () => {
  const photos = await phonePhotos();
  const tab = await rig.open();
  const start = performance.now();
  await tab.widget.locator('input[type=file]').first().setInputFiles(photos);
  await expect.poll(async () => (await tab.events('io-upload')).length, { timeout: 120_000 }).toBe(COUNT);
  const uploaded = performance.now();
  await tab.button(text('toolbar.analyze')).click();
  await expect.poll(async () => (await tab.events('io-analyze')).length, { timeout: 120_000 }).toBe(1);
  const described = performance.now();
  await tab.button(text('reviewing.title')).click();
  await expect.poll(() => focused(tab)).toBe('alt');
  for (let index = 0; index < COUNT; index += 1) {
    const position = text('reviewing.position', { index: index + 1, count: COUNT });
    await expect.poll(() => tab.widget.locator('io-review strong').textContent(), { interval: 20 }).toBe(position);
    // Nobody can read before the picture is there.
    await expect.poll(() => tab.widget.locator('io-review canvas').count(), { interval: 20 }).toBe(1);
    await tab.page.waitForTimeout(READING_MS);
    await tab.page.keyboard.press('Enter');
  }
  await expect.poll(() => focused(tab)).toBe(text('action.close'));
  const end = performance.now();
  const seconds = (from: number, to: number) => Math.round((to - from) / 100) / 10;
  const spent = {
    upload: seconds(start, uploaded),
    describe: seconds(uploaded, described),
    review: seconds(described, end) - (COUNT * READING_MS) / 1000,
    all: seconds(start, end) - (COUNT * READING_MS) / 1000,
  };
  console.log('Seconds beside the reading:', JSON.stringify(spent));
  expect(spent.all).toBeLessThanOrEqual(60);
});
