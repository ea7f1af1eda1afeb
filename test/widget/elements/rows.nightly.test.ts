import { beforeAll, describe, expect, it } from 'vitest';
import { plainImage } from '../../support/small-images.ts';
import { openWidgetRig, text, type WidgetRig } from '../../support/widget-rig.ts';
import { field, rows, textOf } from '../read-page.ts';
import { focused } from './elements-rig.ts';

describe('the rows', () => {
  let rig: WidgetRig;

  beforeAll(async () => {
    rig = await openWidgetRig();
  });

  it('are navigated by Ctrl and the arrows, from a field to the same field', async () => {
    const tab = await rig.open();
    await tab.upload(3);
    await field(rows(tab.widget).nth(0), 'title').focus();
    expect(await focused(tab)).toBe('#0 title');
    await tab.page.keyboard.press('Control+ArrowDown');
    expect(await focused(tab)).toBe('#1 title');
    await tab.page.keyboard.press('Control+ArrowDown');
    await tab.page.keyboard.press('Control+ArrowDown');
    expect(await focused(tab)).toBe('#2 title');
    await tab.page.keyboard.press('Control+ArrowUp');
    expect(await focused(tab)).toBe('#1 title');
  });

  it('save a text on Enter and on leaving the field, and restore it on Escape', async () => {
    const tab = await rig.open();
    await tab.upload(1);
    const alt = field(rows(tab.widget).first(), 'alt');
    await alt.fill('A first text');
    await alt.press('Enter');
    await expect.poll(async () => (await tab.events('io-metadata-change')).length).toBe(1);
    await expect.poll(() => alt.inputValue()).toBe('A first text');
    expect(await focused(tab)).toBe('#0 alt');

    await alt.blur();
    await alt.fill('Another');
    await alt.press('Escape');
    await expect.poll(() => alt.inputValue()).toBe('A first text');
    await field(rows(tab.widget).first(), 'title').fill('A title');
    await field(rows(tab.widget).first(), 'title').blur();
    await expect.poll(async () => (await tab.events('io-metadata-change')).length).toBe(2);
    const changes = (await tab.events('io-metadata-change')).map(({ detail }) => `${detail.field}: ${detail.value}`);
    expect(changes).toEqual(['alt: A first text', 'title: A title']);
  });

  it('show the name that an export gives a file without its own: only a known extension is cut', async () => {
    const tab = await rig.open();
    const { bytes } = await plainImage('x');
    await tab.pick({ name: 'Mr. Smith', bytes }, { name: 'hill v1.25', bytes }, { name: 'a.b.JPG.png', bytes });
    await tab.untilState('ready');
    const names = rows(tab.widget).locator('[data-text=filename]');
    const shown = await names.evaluateAll((fields) => fields.map((each) => (each as HTMLInputElement).placeholder));
    expect(shown).toEqual(['Mr. Smith', 'hill v1.25', 'a.b.JPG']);
    await tab.exportAll();
    await tab.untilState('done');
    const [exported] = await tab.events('io-export');
    const results = exported?.detail.results as { filename: string }[];
    expect(results.map(({ filename }) => filename)).toEqual(shown.map((name) => `${name}.webp`));
  });

  it('count the characters of an alternative text, and warn if it is long', async () => {
    const tab = await rig.open();
    await tab.upload(1);
    const row = rows(tab.widget).first();
    await expect.poll(() => textOf(row)).toContain(text('field.alt-missing'));
    await field(row, 'alt').fill('🐕 dogs');
    await expect.poll(() => textOf(row)).toContain(text('field.alt-count', { count: 6, limit: 125 }));
    await field(row, 'alt').fill('x'.repeat(126));
    await expect.poll(() => textOf(row)).toContain(text('field.alt-long', { count: 126, limit: 125 }));
  });

  it('explain why a decorative image has no text, keep its text, and undo', async () => {
    const tab = await rig.open();
    await tab.upload(1);
    const row = rows(tab.widget).first();
    await field(row, 'alt').fill('A pattern');
    await field(row, 'decorative').click();
    await expect.poll(() => field(row, 'alt').isDisabled()).toBe(true);
    expect(await textOf(row)).toContain(text('field.decorative-help'));
    await tab.choose(text('toolbar.undo'));
    await expect.poll(() => field(row, 'alt').inputValue()).toBe('A pattern');
    expect(await field(row, 'decorative').isChecked()).toBe(false);
  });

  it.each([1280, 390])('do not move under a click that leaves a field (%i pixels)', async (width) => {
    const tab = await rig.open({ context: { viewport: { width, height: 900 } } });
    await tab.upload(1);
    const row = rows(tab.widget).first();
    const box = field(row, 'decorative');
    await field(row, 'alt').fill('A pattern');
    const { x, y } = (await box.boundingBox()) ?? { x: 0, y: 0 };
    await tab.page.mouse.move(x + 5, y + 5);
    await tab.page.mouse.down();
    await expect.poll(() => textOf(row)).toContain(text('row.edited'));
    expect(await box.boundingBox()).toMatchObject({ x, y });
    await tab.page.mouse.up();
    await expect.poll(() => box.isChecked()).toBe(true);
  });

  it('move the focus after a removal: to the next row, the last row, and at the end to "Add images"', async () => {
    const tab = await rig.open();
    await tab.upload(3);
    const remove = (index: number) => tab.button(text('row.remove', { name: `picture-${index}.png` }));
    await expect.poll(() => tab.widget.getByRole('button', { name: /^Remove/ }).count()).toBe(3);
    await remove(1).click();
    await expect.poll(() => focused(tab)).toBe('#1 remove');
    await expect.poll(() => rows(tab.widget).count()).toBe(2);
    await remove(2).click();
    await expect.poll(() => focused(tab)).toBe('#0 remove');
    await remove(0).click();
    await expect.poll(() => focused(tab)).toContain(text('dropzone.pick'));
    await expect.poll(() => rows(tab.widget).count()).toBe(0);
  });

  it('show their error, with a button to retry', async () => {
    const tab = await rig.open({ elements: [{ retries: '1' }] });
    rig.proxy.inject(
      { kind: 'answer', status: 503, json: { error: 'busy', code: 'overloaded' } },
      { path: /^\/v1\/sessions$/, times: 100 },
    );
    await tab.pick('small/graphic-badge-alpha.png');
    const row = rows(tab.widget).first();
    await expect.poll(() => row.locator('[part~=row-error]').count()).toBe(1);
    await expect.poll(() => field(row, 'alt').getAttribute('aria-describedby')).toMatch(/^error /);
    rig.proxy.reset();
    await tab.button(text('row.retry', { name: 'graphic-badge-alpha.png' })).click();
    await tab.untilState('ready');
    expect(await row.locator('[part~=row-error]').count()).toBe(0);
  });
});
