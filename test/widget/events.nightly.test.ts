import { beforeAll, describe, expect, it } from 'vitest';
import { EVENT_NAMES } from '../support/host-page.ts';
import { openWidgetRig, text, type WidgetRig } from '../support/widget-rig.ts';
import { field, rows, textOf } from './read-page.ts';

let rig: WidgetRig;

beforeAll(async () => {
  rig = await openWidgetRig();
});

describe('events', () => {
  it('are all dispatched as documented, across shadow roots', async () => {
    const tab = await rig.open({ credits: 10, elements: [{ mode: 'replace' }] });
    await tab.pick('photos/manifest.json');
    await tab.pick('small/photo-dogs-portrait.jpg');
    await tab.untilState('ready');
    await tab.button(text('toolbar.analyze')).click();
    await expect.poll(async () => (await tab.events('io-analyze')).length).toBe(1);
    await field(rows(tab.widget).first(), 'title').fill('Another title');
    await field(rows(tab.widget).first(), 'title').press('Enter');
    await tab.widget.evaluate((element) => Object.assign(element, { preset: 'medium' }));
    await tab.button(text('export.sample')).click();
    await expect.poll(async () => (await tab.events('io-sample')).length).toBe(1);
    await expect.poll(() => tab.widget.locator('dialog[open]').count()).toBe(1);
    await tab.page.keyboard.press('Escape');
    await tab.exportAll();
    await tab.untilState('done');
    await tab.page.evaluate(() => {
      document
        .querySelector('image-optimizer')
        ?.addEventListener('io-replace', (event) => event.detail.waitUntil(Promise.resolve()));
    });
    await tab.button(text('row.replace', { name: 'photo-dogs-portrait.jpg' })).click();
    await expect.poll(() => textOf(rows(tab.widget).first())).toContain(text('row.replaced'));
    await rows(tab.widget).first().locator('[data-control=download]').click();
    await expect.poll(async () => (await tab.events('io-download')).length).toBe(1);
    await tab.button(text('row.remove', { name: 'photo-dogs-portrait.jpg' })).click();
    await expect.poll(async () => (await tab.events('io-remove')).length).toBe(1);
    await tab.widget.evaluate((element) => Object.assign(element, { format: 'bmp' }));
    await expect.poll(async () => (await tab.events('io-error')).length).toBe(1);

    const all = await tab.events();
    expect([...new Set(all.map(({ type }) => type))].sort()).toEqual([...EVENT_NAMES].sort());
    expect(all.every(({ composed, target }) => composed && target === '')).toBe(true);
    const detailOf = (type: (typeof EVENT_NAMES)[number]) => all.find((event) => event.type === type)?.detail;
    expect(detailOf('io-upload')).toMatchObject({ image: { originalFilename: 'photo-dogs-portrait.jpg' } });
    expect(detailOf('io-settings-change')).toMatchObject({
      settings: { preset: 'medium' },
      previous: { preset: 'high' },
    });
    expect(all.filter(({ type }) => type === 'io-metadata-change').map(({ detail }) => detail.origin)).toContain('ai');
    expect(detailOf('io-replace')).toMatchObject({ variant: 'full', filename: expect.stringMatching(/\.webp$/) });
    expect(detailOf('io-error')).toMatchObject({ phase: 'settings', error: { code: 'invalid_setting' } });
    // Invalid values leave the default.
    expect(
      await tab.widget.evaluate((element) => (element as unknown as { settings: unknown }).settings),
    ).toMatchObject({
      format: 'webp',
    });
  });

  it('that are prevented stop the action: nothing is charged, saved or changed', async () => {
    const tab = await rig.open({ credits: 10 });
    rig.proxy.reset();
    await tab.upload(1);
    await expect.poll(() => tab.widget.locator('button.export').isEnabled()).toBe(true);
    await tab.page.evaluate(() => {
      for (const name of ['io-before-export', 'io-metadata-change']) {
        document.addEventListener(name, (event) => event.preventDefault(), { once: true });
      }
    });
    await field(rows(tab.widget).first(), 'title').fill('Not this one');
    await field(rows(tab.widget).first(), 'title').press('Tab');
    await expect.poll(() => field(rows(tab.widget).first(), 'title').inputValue()).not.toBe('Not this one');
    await tab.exportAll();
    await expect.poll(async () => (await tab.events('io-before-export')).length).toBe(1);
    expect(rig.proxy.seen.filter(({ path, method }) => method === 'POST' && path.endsWith('/export'))).toEqual([]);
    await tab.exportAll();
    await tab.untilState('done');
    expect(await tab.ledger()).toMatchObject({ charged: 1, charges: 1 });

    await tab.page.evaluate(() => {
      document.querySelector('image-optimizer')?.addEventListener('io-download', (event) => {
        event.preventDefault();
        void event.detail.blob().then(async (blob) => Object.assign(window, { taken: [blob.type, blob.size] }));
      });
    });
    let downloads = 0;
    tab.page.on('download', () => {
      downloads += 1;
    });
    await rows(tab.widget).first().locator('[data-control=download]').click();
    const taken = () => tab.page.evaluate(() => (window as unknown as { taken?: unknown[] }).taken);
    await expect.poll(taken).toEqual(['image/webp', expect.any(Number)]);
    expect(downloads).toBe(0);
    tab.expectQuiet();
  });

  it('of replacements show the outcome of the page’s promise', async () => {
    const tab = await rig.open({ credits: 10, elements: [{ mode: 'replace' }] });
    await tab.upload(1);
    await tab.exportAll();
    await tab.untilState('done');
    await tab.page.evaluate(() => {
      document
        .querySelector('image-optimizer')
        ?.addEventListener(
          'io-replace',
          (event) => event.detail.waitUntil(Promise.reject(new Error('The media library is locked'))),
          { once: true },
        );
    });
    await tab.button(text('row.replace', { name: 'picture-0.png' })).click();
    await expect.poll(() => textOf(rows(tab.widget).first())).toContain('The media library is locked');
  });

  it('leave no object URLs, neither after downloads nor after clearing', async () => {
    const tab = await rig.open({ credits: 10 });
    await tab.upload(3);
    await tab.exportAll();
    await tab.untilState('done');
    await tab.page.clock.install();
    const arriving = tab.page.waitForEvent('download');
    await rows(tab.widget).first().locator('[data-control=download]').click();
    await (await arriving).path();
    await tab.choose(text('toolbar.clear'));
    await tab.widget.locator('dialog button[value=yes]').click();
    await tab.untilState('empty');
    const held = () => tab.page.evaluate(() => (window as unknown as { objectUrls: Set<string> }).objectUrls.size);
    // A download keeps its URL for ten seconds.
    expect(await held()).toBe(1);
    await tab.page.clock.fastForward(10_500);
    await expect.poll(held).toBe(0);
    tab.expectQuiet();
  });
});
