import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { ImageResult } from '#contract';
import { type ChromiumEye, openChromiumEye } from '../judge/chromium-eye.ts';
import { openWidgetRig, text, type WidgetRig, type WidgetTab } from '../support/widget-rig.ts';
import { createJudge, type Judge, TEXTS, WIDTH } from './judge-cell.ts';
import { SERVICE, SETTINGS } from './settings.ts';
import { showMarkup } from './show-markup.ts';
import { type Cell, cellsOf, type Kind } from './table.ts';
import { type Upload, uploadsOfKinds } from './uploads.ts';

/** Records copied texts in `window.copied`, and saves without a dialog. */
const SCRIPT = `
  window.copied = [];
  Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (text) => void window.copied.push(text) } });
  delete window.showSaveFilePicker;`;

let rig: WidgetRig;
let eye: ChromiumEye;
let judge: Judge;
let uploads: Record<Kind, Upload>;
beforeAll(async () => {
  rig = await openWidgetRig(SERVICE);
  eye = await openChromiumEye(rig.browser);
  judge = await createJudge(eye);
  uploads = await uploadsOfKinds();
});
afterAll(() => eye?.close());

/** Adds a file, and writes its texts in two languages. */
async function add(tab: WidgetTab, { name, type, bytes }: Upload): Promise<void> {
  const input = tab.widget.locator('input[type=file]').first();
  await input.setInputFiles([{ name, mimeType: type, buffer: bytes }]);
  await tab.untilState('ready');
  const [upload] = await tab.events('io-upload');
  const path = `/v1/sessions/${await tab.widget.getAttribute('session-id')}/images/${upload?.detail.image.id}`;
  const json = { metadata: { alt: TEXTS.alt }, texts: { en: { alt: TEXTS.alt }, de: { alt: TEXTS.german } } };
  await tab.account.api.readJson(path, { method: 'PATCH', json });
}

/** Copies the HTML, saves the ZIP and the first file; another program opens the ZIP. */
async function takeAway({ page, widget, choose, button }: WidgetTab, first: string) {
  const row = widget.locator('io-row');
  await row.locator('[data-control=more]').click();
  await row.locator('[data-control=copy-html]').click();
  const read = () => page.evaluate(() => (window as unknown as { copied: string[] }).copied[0]);
  await expect.poll(read).toBeTruthy();
  const html = (await read()) as string;
  const saving = page.waitForEvent('download');
  await row
    .getByRole('button', { name: text('row.download', { name: first }) })
    .first()
    .click();
  const single = await readFile(await (await saving).path());

  await choose(text('take.title'));
  const zipping = page.waitForEvent('download');
  await button(text('take.zip')).click();
  const folder = await mkdtemp(join(tmpdir(), 'imagewright-zip-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  execFileSync('python3', ['-m', 'zipfile', '-e', await (await zipping).path(), folder]);
  const files = new Map<string, Buffer>();
  for (const name of await readdir(folder))
    if (!/\.(json|csv)$/.test(name)) files.set(name, await readFile(join(folder, name)));
  return { html, single, files };
}

describe('element', () => {
  it.each(cellsOf('element'))('$kind with $setting: $line', async ({ kind, setting }: Cell) => {
    const tab = await rig.open({ script: SCRIPT, credits: 5, properties: { settings: SETTINGS[setting] } });
    await add(tab, uploads[kind]);
    await tab.exportAll();
    await tab.untilState('done');
    const [exported] = await tab.events('io-export');
    const [result] = (exported?.detail.results ?? []) as ImageResult[];
    const { html, single, files } = await takeAway(tab, result?.filename ?? '');
    expect([...files.keys()].sort()).toEqual(result?.variants.map(({ filename }) => filename).sort());
    expect(single).toEqual(files.get(result?.filename ?? ''));

    const chosen = await showMarkup(rig.browser, html, files, setting === 'sizes' ? WIDTH : undefined);
    const bytes = files.get(chosen.name) as Buffer;
    const type = `image/${chosen.name.split('.').at(-1)?.replace('jpg', 'jpeg')}`;
    const told = { score: result?.quality.score, placeholder: chosen.placeholder, background: chosen.background };
    await judge.expectRight({ kind, setting }, uploads[kind], {
      shown: { bytes, type },
      all: [...files.values()],
      told,
    });
  });
});
