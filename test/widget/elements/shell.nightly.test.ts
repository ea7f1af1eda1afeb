import { beforeAll, describe, expect, it } from 'vitest';
import { openWidgetRig, text, type WidgetRig } from '../../support/widget-rig.ts';
import { textOf } from '../read-page.ts';
import { focused } from './elements-rig.ts';

interface Element {
  settings: Record<string, unknown>;
  [property: string]: unknown;
}

describe('the public element', () => {
  let rig: WidgetRig;

  beforeAll(async () => {
    rig = await openWidgetRig();
  });

  it('speaks texts that had to wait one after the other, since of two at once only the last is heard', async () => {
    const tab = await rig.open();
    await tab.widget.locator('io-live').evaluate((live) => {
      const { hold, announce } = live as unknown as Record<string, (value: unknown) => void>;
      hold?.call(live, 200);
      for (const text of ['One', 'Two']) announce?.call(live, { text, urgency: 'polite' });
    });
    await expect.poll(() => tab.spoken()).toEqual(['polite: One', 'polite: Two']);
  });

  it('is configured by attributes, and exposes its state to style sheets', async () => {
    const tab = await rig.open({
      elements: [{ format: 'avif', preset: 'low', responsive: true, 'max-files': '3', 'auto-upload': 'false' }],
    });
    const read = () =>
      tab.widget.evaluate((element) => {
        const { settings, maxFiles, autoUpload, format } = element as unknown as Element;
        return { settings, maxFiles, autoUpload, format };
      });
    expect(await read()).toMatchObject({
      settings: { format: 'avif', preset: 'low', responsive: true },
      maxFiles: 3,
      autoUpload: false,
    });
    await expect.poll(() => tab.widget.getAttribute('data-state')).toBe('empty');
    expect(await tab.widget.evaluate((element) => element.matches(':state(empty)'))).toBe(true);
    await tab.pick('small/graphic-badge-alpha.png');
    await expect.poll(() => tab.button(text('export.upload')).count()).toBe(1);
    expect(await tab.widget.getAttribute('session-id')).toBeNull();
    await tab.button(text('export.upload')).click();
    await expect.poll(() => tab.widget.getAttribute('session-id')).toMatch(/^sess_/);
    await tab.untilState('ready');
    await expect.poll(() => tab.widget.getAttribute('data-state')).toBe('ready');
    await tab.widget.evaluate((element) => element.setAttribute('format', 'png'));
    await expect.poll(async () => (await read()).settings.format).toBe('png');
    await tab.widget.evaluate((element) => element.setAttribute('format', 'bmp'));
    await expect
      .poll(async () => (await tab.events('io-error')).map(({ detail }) => detail.error.code))
      .toEqual(['invalid_setting']);
    await expect.poll(async () => (await read()).format).not.toBe('bmp');
  });

  it('has slots, and a place in each row for content of the page', async () => {
    const slots = ['heading', 'toolbar-start', 'toolbar-end', 'settings-extra', 'footer', 'dropzone-hint', 'empty'];
    const content = slots.map((name) => `<b slot="${name}" id="${name}">${name}</b>`).join('');
    const tab = await rig.open({ content });
    const seen = async () => {
      const visible = await Promise.all(slots.map((name) => tab.page.locator(`#${name}`).isVisible()));
      return slots.filter((_, index) => visible[index]);
    };
    expect(await seen()).toEqual(['heading', 'toolbar-start', 'toolbar-end', 'footer', 'dropzone-hint', 'empty']);
    expect(await textOf(tab.widget)).not.toContain(text('dropzone.title'));
    await tab.upload(1);
    expect(await seen()).toEqual(['heading', 'toolbar-start', 'toolbar-end', 'footer']);
    await tab.button(text('settings.change')).click();
    expect(await seen()).toContain('settings-extra');
    await tab.page.keyboard.press('Escape');
    await expect.poll(() => focused(tab)).toBe(text('settings.change'));
    await tab.widget.evaluate((element) => {
      (element as unknown as Element).itemActions = (item: { name: string }) => {
        const link = document.createElement('a');
        link.href = '#edit';
        link.textContent = `Edit ${item.name}`;
        return link;
      };
    });
    await expect.poll(() => tab.widget.getByRole('link', { name: 'Edit picture-0.png' }).count()).toBe(1);
  });

  it('asks before an export; the focus returns on Escape and moves on when the export runs', async () => {
    const tab = await rig.open({ credits: 5 });
    await tab.upload(2);
    const open = tab.button(text('export.some', { count: 2 }));
    await open.click();
    await expect.poll(() => textOf(tab.widget.locator('dialog'))).toContain(text('cost.credits', { count: 3 }));
    await tab.page.keyboard.press('Escape');
    await expect.poll(() => tab.widget.locator('dialog').count()).toBe(0);
    expect(await focused(tab)).toBe(text('export.some', { count: 2 }));
    expect((await tab.ledger()).charged).toBe(0);

    await tab.page.keyboard.press('Enter');
    await expect.poll(() => focused(tab)).toBe(text('confirm.yes', { count: 2 }));
    await tab.page.keyboard.press('Enter');
    await tab.untilState('done');
    await expect.poll(() => focused(tab)).toBe(text('outcome.download-all'));
    expect((await tab.ledger()).charged).toBe(2);
  });

  it('asks before it removes everything, and focuses "Add images" afterwards', async () => {
    const tab = await rig.open();
    await tab.upload(2);
    await tab.choose(text('toolbar.clear'));
    await expect.poll(() => focused(tab)).toBe(text('confirm.keep'));
    await tab.page.keyboard.press('Enter');
    await expect.poll(() => focused(tab)).toBe(text('toolbar.more'));
    await tab.choose(text('toolbar.clear'));
    await tab.button(text('confirm.clear-yes')).click();
    await tab.untilState('empty');
    await expect.poll(() => focused(tab)).toBe(text('dropzone.pick'));
    await expect.poll(() => tab.widget.getAttribute('session-id')).toBeNull();
  });

  it('offers to export as many images as the credits allow, and keeps every edit', async () => {
    const tab = await rig.open({ credits: 1, content: '<a slot="credits" href="#buy">Buy credits</a>' });
    await tab.upload(3);
    await expect.poll(() => tab.widget.getByRole('link', { name: 'Buy credits' }).isVisible()).toBe(true);
    await tab.widget.locator('io-row').nth(1).locator('[data-control=alt]').fill('Kept');
    await tab.button(text('export.first', { count: 1 })).click();
    await tab.button(text('confirm.yes', { count: 1 })).click();
    await expect.poll(async () => (await tab.events('io-export')).length).toBe(1);
    expect((await tab.ledger()).charged).toBe(1);
    await expect
      .poll(() => tab.widget.locator('io-row').nth(1).locator('[data-control=alt]').inputValue())
      .toBe('Kept');
  });

  it('changes nothing while it is read-only, but downloads results', async () => {
    const tab = await rig.open();
    await tab.upload(1);
    await tab.exportAll();
    await tab.untilState('done');
    await tab.widget.evaluate((element) => element.setAttribute('readonly', ''));
    await expect.poll(() => tab.button(/^Remove/).count()).toBe(0);
    await expect.poll(() => tab.widget.locator('[data-control=alt]').getAttribute('readonly')).toBe('');
    await tab.button(text('toolbar.more')).click();
    expect(await tab.widget.getByRole('menuitem').allInnerTexts()).toEqual([text('take.title')]);
    await tab.page.keyboard.press('Escape');
    const download = tab.page.waitForEvent('download');
    await tab.button(text('row.download', { name: 'picture-0.webp' })).click();
    expect((await download).suggestedFilename()).toBe('picture-0.webp');
  });

  it('warns once about a key in the page', async () => {
    const tab = await rig.open();
    await tab.widget.evaluate((element) => Object.assign(element, { apiKey: 'a' }));
    await tab.widget.evaluate((element) => Object.assign(element, { apiKey: 'b' }));
    await expect
      .poll(() => tab.complaints.filter((complaint) => /API key in a page is for development/.test(complaint)).length)
      .toBe(1);
    expect(await tab.widget.evaluate((element) => element.outerHTML)).not.toMatch(/api-?key/i);
  });

  it('is removed by `remove()`, and removes an image by `remove(id)`', async () => {
    const tab = await rig.open();
    await tab.upload(2);
    await tab.widget.evaluate((element) => {
      const { items, remove } = element as unknown as { items: { id: string }[]; remove(id?: string): void };
      remove.call(element, items[0]?.id);
    });
    await expect.poll(() => tab.widget.locator('io-row').count()).toBe(1);
    await tab.widget.evaluate((element) => element.remove());
    expect(await tab.page.locator('image-optimizer').count()).toBe(0);
    tab.expectQuiet();
  });
});
