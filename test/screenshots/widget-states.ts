import { readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { GOOD_ANSWER } from '../support/fake-vision-server.ts';
import { hostFiles } from '../support/host-page.ts';
import type { Snap } from './journeys.ts';
import type { Scene, Stage } from './stage.ts';

const LONG = {
  filename: 'a-very-long-file-name-that-somebody-made-of-a-whole-sentence-about-a-bridge-in-autumn',
  title: 'The old railway bridge above the valley in the last light of an October evening, seen from the east',
  alt: 'A stone railway bridge with eleven arches crosses a wooded valley; the trees are yellow and red, a train with four carriages is on it, and two walkers with a dog look up from a path beside the river',
};

/** Every state of the element alone on a page, as far as each can be brought about from outside. */
export async function showStates(stage: Stage, scene: Scene, snap: Snap, locale = 'en'): Promise<void> {
  const { page } = scene;
  let { apiKey } = scene.account;
  const { proxy, vision, test } = stage;
  await page.route(`${proxy.url}/host/**`, (route) => {
    const files = hostFiles({
      headers: { 'X-API-Key': apiKey },
      elements: [{ locale, retries: '1' }],
      lang: locale,
      dir: locale === 'ar' ? 'rtl' : 'ltr',
      css: 'body { margin: 0; padding: 16px; font-family: system-ui; background: light-dark(#f0f0f1, #111) } h1 { margin: 0 }',
      content: '<a slot="credits" href="#buy">Get more</a>',
    });
    const file = files[new URL(route.request().url()).pathname];
    return file ? route.fulfill({ body: file.body, contentType: file.type }) : route.fulfill({ status: 404 });
  });
  const open = async () => {
    await page.goto('about:blank');
    await page.goto(`${proxy.url}/host/`);
    await page.waitForFunction(() => (window as unknown as { ready?: boolean }).ready === true);
  };
  const widget = page.locator('image-optimizer');
  const pick = (...files: string[]) => widget.locator('input[type=file]').first().setInputFiles(files);
  const full = { full: true };
  const [mountains = '', nuthatch = '', dogs = '', stream = ''] = stage.photos;
  const badge = stage.photos.at(-1) ?? '';
  const folder = dirname(badge);
  const broken = join(folder, 'holiday (copy).jpg');
  const letter = join(folder, 'letter.docx');
  await Promise.all([writeFile(broken, 'this is no picture'), writeFile(letter, 'Dear Sir')]);

  await open();
  await rest(page);
  await snap('01-empty', full);

  // Uploading: one that fails, one that is refused, one that takes its time.
  await pick(broken);
  await until(page, () => widget.locator('io-row .failure').count(), 1);
  proxy.inject({ kind: 'hang' }, { method: 'POST', times: 2 });
  await pick(mountains, nuthatch, letter);
  await rest(page);
  await snap('02-uploading', full);
  proxy.reset();

  // No connection; the service does not answer at all; nobody may use it.
  await open();
  await pick(badge);
  await state(widget, 'ready');
  await scene.context.setOffline(true);
  await rest(page);
  await snap('03-offline', full);
  await scene.context.setOffline(false);
  for (const [name, status, json] of [
    ['04-server-error', 500, { error: 'Internal error', code: 'internal_error', requestId: 'req_8d2c71' }],
    ['04-not-allowed', 401, { error: 'Unauthorized', code: 'invalid_api_key' }],
    ['04-too-many', 429, { error: 'Too many requests', code: 'rate_limited' }],
  ] as const) {
    await open();
    proxy.inject({ kind: 'answer', status, json }, { method: 'POST', path: /sessions/, times: 99 });
    await pick(badge);
    await page.waitForTimeout(1500);
    await rest(page);
    await snap(name, full);
    proxy.reset();
  }

  // The review: long texts and every reason to look.
  await open();
  await pick(mountains, nuthatch, dogs, stream, badge);
  await state(widget, 'ready');
  await rest(page);
  await snap('05-ready', full);
  vision.mode = 'hang';
  await widget.locator('button.analyze').click();
  await state(widget, 'analyzing');
  await rest(page);
  await snap('06-analyzing', full);
  await widget.evaluate((each) => (each as unknown as { cancel(): void }).cancel());
  await state(widget, 'ready');
  vision.reset();
  const good = vision.answer;
  vision.answer = { ...GOOD_ANSWER, ...LONG, kind: 'document', people: true, textInImage: 'A sign', decorative: true };
  await widget.evaluate((each) => (each as unknown as { analyze(): Promise<void> }).analyze());
  await state(widget, 'ready');
  vision.answer = good;
  await rest(page);
  await snap('07-review', full);

  await widget.evaluate((each) =>
    Object.assign(each, { settings: { responsive: true, responsiveSizes: [480, 960, 1600] } }),
  );
  const fold = widget.locator('button.fold');
  if (await fold.isVisible()) await fold.click();
  for (const summary of await widget.locator('io-settings summary').all()) await summary.click();
  await rest(page);
  await snap('08-settings', full);

  await widget.locator('button.sample').click();
  await widget.locator('io-compare').waitFor({ timeout: 60_000 });
  await widget.locator('io-compare .cover').waitFor({ state: 'detached', timeout: 60_000 });
  await rest(page);
  await snap('09-compare');
  await page.keyboard.press('Escape');
  await rest(page);
  await snap('10-sampled', full);

  await widget.evaluate((each) =>
    Object.assign(each, { settings: { format: 'png', preset: 'maximum', responsive: true } }),
  );
  await widget.locator('button.export').click();
  await rest(page);
  await snap('11-confirm');
  proxy.inject({ kind: 'stall', afterEvents: 6 }, { method: 'POST', path: /\/export$/ });
  await page.keyboard.press('Enter');
  await state(widget, 'exporting');
  await page.waitForTimeout(600);
  await rest(page);
  await snap('12-exporting', full);
  proxy.reset();

  // Results that are larger, with a warning and with failures.
  await open();
  await pick(mountains, badge, dogs);
  await state(widget, 'ready');
  await widget.evaluate((each) => Object.assign(each, { settings: { format: 'png', preset: 'high' } }));
  await exportAll(widget);
  await state(widget, 'done');
  await rest(page);
  await snap('13-larger', full);

  await open();
  await pick(mountains, badge, dogs);
  await state(widget, 'ready');
  await widget.evaluate((each) => Object.assign(each, { settings: { format: 'jpeg', responsive: true } }));
  await breakImage(stage, widget);
  await exportAll(widget);
  await state(widget, 'done');
  await rest(page);
  await snap('14-partly-failed', full);
  for (const summary of await widget.locator('io-row summary').all()) await summary.click();
  await widget.locator('button.clear').click();
  await rest(page);
  await snap('15-clear');
  await page.keyboard.press('Escape');
  await page.evaluate(() => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(['x'], 'x.png'));
    for (const type of ['dragenter', 'dragover']) {
      document.body.dispatchEvent(
        new DragEvent(type, { bubbles: true, composed: true, cancelable: true, dataTransfer }),
      );
    }
  });
  await rest(page);
  await snap('16-drop');

  ({ apiKey } = await test.createAccount({ credits: 2 }));
  await open();
  await pick(mountains, nuthatch, dogs);
  await state(widget, 'ready');
  await widget.locator('io-cost .short').waitFor();
  await rest(page);
  await snap('17-short', full);
  ({ apiKey } = await test.createAccount({ credits: 0 }));
  await open();
  await pick(mountains);
  await state(widget, 'ready');
  await widget.locator('io-cost .short').waitFor();
  await rest(page);
  await snap('18-no-credits', full);
}

const stateOf = (widget: Locator) => widget.evaluate((each) => (each as unknown as { state: string }).state);

async function until(page: Page, what: () => Promise<unknown>, wanted: unknown): Promise<void> {
  const deadline = Date.now() + 60_000;
  for (let now = await what(); now !== wanted; now = await what()) {
    if (Date.now() > deadline) throw new Error(`waited for ${wanted}, it is ${now}`);
    await page.waitForTimeout(50);
  }
}

const state = (widget: Locator, wanted: string) => until(widget.page(), () => stateOf(widget), wanted);

/** Thumbnails are there, what moves has come to rest. */
const rest = (page: Page) => page.waitForTimeout(600);

async function exportAll(widget: Locator): Promise<void> {
  await widget.locator('button.export:not(:disabled)').click();
  await widget.locator('dialog button[value=yes]').click();
}

/** The first image's file is lost at the service, so that its export fails. */
async function breakImage({ test }: Stage, widget: Locator): Promise<void> {
  const [image] = await widget.evaluate((each) =>
    (each as unknown as { items: { imageId: string; name: string }[] }).items.map(({ imageId }) => imageId),
  );
  for (const path of await readdir(test.dataDir, { recursive: true })) {
    if (image && path.includes(image)) await rm(join(test.dataDir, path), { recursive: true, force: true });
  }
}
