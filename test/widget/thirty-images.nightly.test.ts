import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Session } from '#contract';
import { PATIENCE_MS } from '../support/patience.ts';
import { fixture, openWidgetRig, text, type WidgetRig, type WidgetTab } from '../support/widget-rig.ts';
import { focused } from './elements/elements-rig.ts';

const NAMES = ['brushes', 'dandelion', 'dogs-portrait', 'mountains', 'nuthatch', 'stream'];
const IMAGES = 30;
/** Reading time of each image, in milliseconds. */
const READING_MS = 1000;
/** Delay of each answer of the vision service, in milliseconds, as in `bench:analysis`. */
const ANSWER_MS = 300;
/** Longest time beside the reading, in parts of the time that encoding the photographs takes. */
const MOST_TIMES = 15;

let rig: WidgetRig;
let folder = '';

beforeAll(async () => {
  rig = await openWidgetRig();
  folder = await mkdtemp(join(tmpdir(), 'imagewright-photos-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Writes photographs of 2400 x 1800 pixels, all different. Returns their paths. */
async function photographs(): Promise<string[]> {
  const paths: string[] = [];
  for (const [at, name] of NAMES.entries()) {
    const large = sharp(fixture(`photos/photo-${name}.jpg`)).resize(2400, 1800, { fit: 'cover' });
    for (let index = at; index < IMAGES; index += NAMES.length) {
      const path = join(folder, `IMG_${1000 + index}.jpg`);
      await writeFile(
        path,
        await large
          .clone()
          .jpeg({ quality: 86 + Math.floor(index / NAMES.length) })
          .toBuffer(),
      );
      paths.push(path);
    }
  }
  return paths.sort();
}

/** Drops files onto the element, as a file manager does. */
async function drop({ page, widget }: WidgetTab, paths: string[]): Promise<void> {
  const input = await page.evaluateHandle(() =>
    Object.assign(document.createElement('input'), { type: 'file', multiple: true }),
  );
  await input.setInputFiles(paths);
  await widget.evaluate((element, input) => {
    const dataTransfer = new DataTransfer();
    for (const file of (input as HTMLInputElement).files ?? []) dataTransfer.items.add(file);
    for (const type of ['dragenter', 'dragover', 'drop']) {
      element.dispatchEvent(new DragEvent(type, { bubbles: true, composed: true, cancelable: true, dataTransfer }));
    }
  }, input);
}

it('takes at most 60 s beside the reading from the drop to the finished review of 30 photographs', async () => {
  const madeAt = performance.now();
  const paths = await photographs();
  const making = (performance.now() - madeAt) / 1000;
  const tab = await rig.open({ recordDetails: false });
  rig.vision.delayMs = ANSWER_MS;
  const startedAt = performance.now();
  const seconds = () => (performance.now() - startedAt) / 1000;
  await drop(tab, paths);
  await expect.poll(async () => (await tab.events('io-upload')).length, { timeout: PATIENCE_MS }).toBe(IMAGES);
  const uploaded = seconds();
  await tab.widget.locator('button.analyze').click();
  await expect.poll(async () => (await tab.events('io-analyze')).length, { timeout: PATIENCE_MS }).toBe(1);
  const described = seconds();
  await tab.button(text('reviewing.title')).click();
  await expect.poll(() => focused(tab)).toBe('alt');
  for (let index = 0; index < IMAGES; index += 1) {
    await expect.poll(() => tab.widget.locator('io-review .name').textContent()).toBe(`IMG_${1000 + index}.jpg`);
    await tab.page.waitForTimeout(READING_MS);
    await tab.page.keyboard.press('Enter');
  }
  await expect.poll(() => focused(tab)).toBe(text('action.close'));
  await tab.page.keyboard.press('Enter');
  const sessionId = await tab.widget.getAttribute('session-id');
  const accepted = async () => {
    const { images } = await tab.account.api.readJson<Session>(`/v1/sessions/${sessionId}`);
    return images.filter(({ metadata }) => metadata?.source.alt === 'user').length;
  };
  await expect.poll(accepted).toBe(IMAGES);
  const beside = seconds() - (IMAGES * READING_MS) / 1000;
  const parts = `uploaded after ${uploaded.toFixed(1)} s, described after ${described.toFixed(1)} s`;
  console.log(
    `${parts}, photographs made in ${making.toFixed(1)} s, reviewed and stored after ${seconds().toFixed(1)} s: ${beside.toFixed(1)} s beside the reading`,
  );
  // A busy machine takes longer for the photographs, too.
  expect(beside).toBeLessThanOrEqual(Math.max(60, MOST_TIMES * making));
  tab.expectQuiet();
});
