import { mkdtemp, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { plainImage } from '../../support/small-images.ts';
import { openWidgetRig, text, type WidgetRig, type WidgetTab } from '../../support/widget-rig.ts';
import { field, rows, textOf } from '../read-page.ts';
import { CHANGED, filesToChange } from './changed-on-disk.ts';

describe('a file that was changed on the disk after it was chosen', () => {
  let rig: WidgetRig;
  let path: string;

  beforeAll(async () => {
    rig = await openWidgetRig();
  });
  beforeEach(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'changed-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    path = join(folder, 'hill.png');
    await writeFile(path, (await plainImage('hill.png')).bytes);
  });

  const choose = (tab: WidgetTab) => tab.widget.locator('input[type=file]').first().setInputFiles(path);

  /** Opens an element with the file, which uploads nothing by itself. */
  async function openWith(elements: Record<string, string>): Promise<WidgetTab> {
    const tab = await rig.open({ elements: [elements] });
    await choose(tab);
    await expect.poll(() => rows(tab.widget).count()).toBe(1);
    return tab;
  }

  /** Writes other bytes with a later time: Chromium compares the times of a file by whole seconds. */
  async function changeOnDisk(): Promise<void> {
    const { mtimeMs } = await stat(path);
    await writeFile(path, (await plainImage('hill.png', { width: 90 })).bytes);
    await utimes(path, new Date(), new Date(mtimeMs + 5_000));
  }

  it.each([
    ['waiting', 0],
    ['tried before', 0],
    ['paused and resumed', 0],
    ['waiting, with 9 MB', 9e6],
  ])('is told in the same words when it was removed, larger, smaller or another: %s', async (moment, size) => {
    const { paths, change } = await filesToChange(dirname(path), size);
    const tab = await rig.open({
      elements: [{ retries: '0', ...(/^w/.test(moment) ? { 'auto-upload': 'false' } : {}) }],
    });
    if (moment === 'tried before') await tab.page.route(/\/v1\/sessions$/, (route) => route.abort('connectionfailed'));
    if (/^p/.test(moment)) await tab.widget.evaluate((each) => (each as unknown as { pause(): void }).pause());
    await tab.widget.locator('input[type=file]').first().setInputFiles(paths);
    await expect.poll(() => rows(tab.widget).count()).toBe(CHANGED.length);
    if (moment === 'tried before')
      for (const row of await rows(tab.widget).all())
        await expect.poll(() => textOf(row)).toContain(text('error.network'));
    await change();
    if (moment === 'tried before') {
      await tab.page.unroute(/\/v1\/sessions$/);
      await tab.widget
        .locator('.notice')
        .getByRole('button', { name: text('action.retry') })
        .click();
    } else {
      await tab.button(text(/^p/.test(moment) ? 'action.resume' : 'export.upload')).click();
    }
    for (const row of await rows(tab.widget).all())
      await expect.poll(() => textOf(row)).toContain(text('error.file_changed'));
    const errors = (await tab.events('io-error')).map(({ detail }) => detail.error.code);
    expect(errors.filter((code) => code === 'file_changed')).toHaveLength(CHANGED.length);
    expect(await tab.events('io-upload')).toEqual([]);
  });

  it('is named as such, needs no second try, and is taken again with its texts', async () => {
    const tab = await openWith({ 'auto-upload': 'false' });
    await field(rows(tab.widget), 'alt').fill('A hill');
    await changeOnDisk();
    await tab.button(text('export.upload')).click();
    await expect.poll(() => textOf(rows(tab.widget))).toContain(text('error.file_changed'));
    const [failed] = await tab.events('io-error');
    expect(failed?.detail).toMatchObject({ phase: 'upload', error: { code: 'file_changed', retryable: false } });
    expect(await tab.button(text('action.retry')).count()).toBe(0);

    await choose(tab);
    await tab.button(text('export.upload')).click();
    await tab.untilState('ready');
    await expect.poll(() => rows(tab.widget).count()).toBe(1);
    expect(await textOf(rows(tab.widget))).toContain('90 × 30');
    await expect.poll(() => field(rows(tab.widget), 'alt').inputValue()).toBe('A hill');
    expect(await tab.widget.locator('.notice').count()).toBe(0);
  });

  it('may have been removed and put back as it was', async () => {
    const tab = await openWith({ 'auto-upload': 'false' });
    await rm(path);
    await tab.button(text('export.upload')).click();
    await expect.poll(() => textOf(rows(tab.widget))).toContain(text('error.file_changed'));
    await writeFile(path, (await plainImage('hill.png')).bytes);
    await choose(tab);
    await tab.button(text('export.upload')).click();
    await tab.untilState('ready');
    await expect.poll(() => rows(tab.widget).count()).toBe(1);
  });

  it('is not blamed for a connection that fails', async () => {
    const tab = await rig.open({ elements: [{ retries: '1' }] });
    await tab.page.route(/\/v1\/sessions$/, (route) => route.abort('connectionfailed'));
    await choose(tab);
    await expect.poll(() => textOf(rows(tab.widget))).toContain(text('error.network'));
    await tab.page.unroute(/\/v1\/sessions$/);
    await tab.widget
      .locator('.notice')
      .getByRole('button', { name: text('action.retry') })
      .click();
    await tab.untilState('ready');
  });
});
