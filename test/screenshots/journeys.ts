import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Page } from 'playwright-core';
import type { Scene, Stage } from './stage.ts';

/** Takes a picture of what is to be seen; `full`: of the whole page. */
export type Snap = (name: string, options?: { full?: boolean }) => Promise<void>;

const element = (page: Page) => page.locator('image-optimizer:visible').first();
const state = (page: Page) => element(page).evaluate((each) => (each as unknown as { state: string }).state);

async function untilState(page: Page, ...wanted: string[]): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!wanted.includes(await state(page))) {
    if (Date.now() > deadline) throw new Error(`waited for ${wanted}, it is ${await state(page)}`);
    await page.waitForTimeout(50);
  }
  await settle(page);
}

/** Pictures are of pages at rest: thumbnails are there, transitions are over. */
async function settle(page: Page): Promise<void> {
  await page.waitForTimeout(500);
}

async function connect({ page, account }: Scene): Promise<void> {
  await page.getByLabel('API key').fill(account.apiKey);
  await page.getByRole('button', { name: 'Connect' }).click();
  await page.locator('#connect').waitFor({ state: 'hidden' });
}

/** The whole way from the first visit to the results. */
export async function walkThrough(stage: Stage, scene: Scene, snap: Snap, locale = 'en'): Promise<void> {
  const { page, url } = scene;
  await page.goto(`${url}?locale=${locale}`);
  await page.locator('#connect').waitFor();
  await snap('01-connect');
  await connect(scene);
  await settle(page);
  await snap('02-empty');

  const widget = element(page);
  await widget.locator('input[type=file]').first().setInputFiles(stage.photos);
  await untilState(page, 'ready');
  await widget.scrollIntoViewIfNeeded();
  await snap('03-ready');
  await snap('03-ready-page', { full: true });

  await widget.evaluate((each) => (each as unknown as { analyze(): Promise<void> }).analyze());
  await untilState(page, 'ready');
  await snap('04-reviewed', { full: true });
  await widget.evaluate((each) => each.scrollIntoView());
  await settle(page);
  await snap('04-reviewed-view');

  await widget.evaluate((each) => {
    Object.assign(each, { settings: { responsive: true, responsiveSizes: [640, 1280] } });
  });
  const fold = widget.locator('button.fold');
  if (await fold.isVisible()) await fold.click();
  await widget.locator('io-settings summary').click();
  await settle(page);
  await snap('05-settings', { full: true });

  await widget.locator('button.sample').click();
  await widget.locator('io-compare').waitFor({ timeout: 60_000 });
  await widget.locator('io-compare .cover').waitFor({ state: 'detached', timeout: 60_000 });
  await settle(page);
  await snap('06-compare');
  await page.keyboard.press('Escape');
  await untilState(page, 'ready', 'done');

  await widget.locator('button.export').click();
  await settle(page);
  await snap('07-confirm');
  await page.keyboard.press('Enter');
  await untilState(page, 'done');
  await snap('08-done', { full: true });
  await page.locator('#log summary').click();
  await snap('09-log', { full: true });
}

/** Too few credits for what was picked. */
export async function runShort(stage: Stage, scene: Scene, snap: Snap): Promise<void> {
  const { page, url } = scene;
  await page.goto(url);
  await connect(scene);
  const widget = element(page);
  await widget.locator('input[type=file]').first().setInputFiles(stage.photos);
  await untilState(page, 'ready');
  await widget.locator('io-cost .short').waitFor();
  await snap('10-short', { full: true });
}

/** The folder as a CMS: a real one of the browser's own file system, since nobody is there to choose. */
export async function useFolder(stage: Stage, scene: Scene, snap: Snap): Promise<void> {
  const { page, url } = scene;
  await page.addInitScript({ content: 'window.showDirectoryPicker = () => navigator.storage.getDirectory();' });
  await page.goto(`${url}?mode=replace`);
  await connect(scene);
  await settle(page);
  await snap('11-folder-invitation');
  for (const path of stage.photos) {
    const base64 = (await readFile(path)).toString('base64');
    await page.evaluate(
      async ([name, content]) => {
        const root = await navigator.storage.getDirectory();
        const stream = await (await root.getFileHandle(name as string, { create: true })).createWritable();
        await stream.write(Uint8Array.from(atob(content as string), (letter) => letter.charCodeAt(0)));
        await stream.close();
      },
      [basename(path), base64],
    );
  }
  await page.getByRole('button', { name: 'Use a folder' }).click();
  await page.locator('.files li').first().waitFor();
  await settle(page);
  await snap('12-folder', { full: true });
  await page.getByRole('button', { name: /at once/ }).click();
  await page.getByRole('button', { name: 'Spend and replace' }).click();
  await page.locator('.status.replaced').first().waitFor({ timeout: 60_000 });
  await page.locator('.run button').waitFor({ state: 'detached', timeout: 60_000 });
  await settle(page);
  await snap('13-folder-replaced', { full: true });
}
