import { beforeAll, describe, expect, it } from 'vitest';
import { openWidgetRig, text, type WidgetRig, type WidgetTab } from '../../support/widget-rig.ts';
import { rows } from '../read-page.ts';
import { addMany, focused, rowCount } from './elements-rig.ts';

interface Shown {
  selected: boolean;
  metadata: { title: string | null; alt: string | null };
}
const items = ({ widget }: WidgetTab) =>
  widget.evaluate((element) =>
    (element as unknown as { items: Shown[] }).items.map(({ selected, metadata }) => ({ selected, metadata })),
  );
const selected = async (tab: WidgetTab) => (await items(tab)).flatMap((item, index) => (item.selected ? [index] : []));
const box = (tab: WidgetTab, index: number) => rows(tab.widget).nth(index).locator('[data-control=select]');

describe('many images', () => {
  let rig: WidgetRig;

  beforeAll(async () => {
    rig = await openWidgetRig();
  });

  it('are selected one by one, from one to another with Shift, or all; and get one title, undone in one step', async () => {
    const tab = await rig.open();
    await tab.upload(6);
    expect(await box(tab, 0).count()).toBe(0);
    await tab.button(text('finder.select')).click();
    await box(tab, 1).click();
    await box(tab, 4).click({ modifiers: ['Shift'] });
    await expect.poll(() => selected(tab)).toEqual([1, 2, 3, 4]);
    await box(tab, 2).click();
    await expect.poll(() => selected(tab)).toEqual([1, 3, 4]);
    await expect
      .poll(() => tab.widget.getByRole('status').allTextContents())
      .toContain(text('select.count', { count: 3 }));

    await tab.button(text('select.texts')).click();
    await expect.poll(() => tab.widget.locator('dialog[open]').count()).toBe(1);
    await tab.page.keyboard.type('Summer fair');
    // Enter applies; the first button of the form is not "Cancel".
    await tab.page.keyboard.press('Enter');
    const titles = async () => (await items(tab)).map(({ metadata }) => metadata.title);
    await expect.poll(async () => (await titles()).filter((title) => title === 'Summer fair').length).toBe(3);
    await tab.button(text('toolbar.undo')).click();
    await expect.poll(async () => (await titles()).filter((title) => title === 'Summer fair').length).toBe(0);

    await tab.button(text('select.all')).click();
    await expect.poll(() => selected(tab)).toHaveLength(6);
    // Without the boxes nothing is selected.
    await tab.button(text('finder.select')).click();
    await expect.poll(() => selected(tab)).toEqual([]);
    expect(await box(tab, 0).count()).toBe(0);
  });

  it('are described with a context of their own', async () => {
    const tab = await rig.open();
    await tab.upload(5);
    await tab.button(text('finder.select')).click();
    await box(tab, 0).click();
    await box(tab, 1).click();
    await tab.button(text('select.texts')).click();
    await tab.widget.locator('[name=context]').fill('The harbour of Kiel in winter');
    await tab.button(text('texts.apply')).click();
    await expect.poll(async () => (await tab.events('io-analyze')).length).toBe(1);
    expect((await items(tab)).map(({ metadata }) => metadata.alt !== null)).toEqual([true, true, false, false, false]);
    const sent = rig.vision.requests.slice(-2).map(({ words }) => words);
    for (const request of sent) expect(request).toContain('The harbour of Kiel in winter');
  });

  it('are found by words of their names and texts; what a search hides is not selected', async () => {
    const tab = await rig.open();
    await tab.upload(6);
    await tab.widget.evaluate((element) => {
      const { items, optimizer } = element as unknown as {
        items: { id: string }[];
        optimizer: { setMetadata(id: string, field: string, value: string): void };
      };
      optimizer.setMetadata(items[2]?.id ?? '', 'alt', 'Ein Café am Hafen');
    });
    await tab.button(text('finder.select')).click();
    await tab.button(text('select.all')).click();
    const search = tab.widget.getByRole('searchbox');
    await search.fill('hafen CAFE');
    await expect.poll(() => rowCount(tab)).toBe(1);
    await expect.poll(() => selected(tab)).toEqual([2]);
    await expect
      .poll(() => tab.spoken(), { timeout: 10_000 })
      .toContain(`polite: ${text('finder.shown', { count: 1 })}`);
    await search.fill('nothing like it');
    await expect.poll(() => tab.widget.locator('io-list .none').count()).toBe(1);
    await search.fill('picture-5');
    await expect.poll(() => rowCount(tab)).toBe(1);
    await search.fill('');
    await expect.poll(() => rowCount(tab)).toBe(6);
  });

  it('fit a grid whose pictures open the review', async () => {
    const tab = await rig.open({ context: { viewport: { width: 1280, height: 900 } } });
    await tab.upload(12);
    await tab.button(text('finder.grid')).click();
    await expect.poll(() => rows(tab.widget).locator('.card').count()).toBe(12);
    const tops = await rows(tab.widget).evaluateAll((all) =>
      all.map((row) => Math.round(row.getBoundingClientRect().top)),
    );
    expect(new Set(tops).size).toBeLessThanOrEqual(4);
    await tab.button(`${text('reviewing.title')}: picture-7.png`).click();
    await expect.poll(() => tab.widget.locator('io-review .name').textContent()).toBe('picture-7.png');
    await tab.page.keyboard.press('Escape');
    await expect.poll(() => focused(tab)).toBe('#7 open');
  });

  it('stay quick: 300 are selected, searched and shown as a grid without a long task', async () => {
    const tab = await rig.open({ elements: [{ 'auto-upload': 'false' }] });
    await addMany(tab, 300);
    await expect.poll(() => rowCount(tab), { timeout: 30_000 }).toBe(300);
    await tab.button(text('finder.select')).click();
    await tab.button(text('select.all')).click();
    await expect.poll(() => selected(tab)).toHaveLength(300);
    await tab.widget.getByRole('searchbox').fill('picture-29');
    await expect.poll(() => rowCount(tab)).toBe(11);
    await tab.widget.getByRole('searchbox').fill('');
    await tab.button(text('finder.grid')).click();
    await expect.poll(() => rowCount(tab), { timeout: 30_000 }).toBe(300);
    // Few have pictures and buttons.
    expect(await rows(tab.widget).locator('.card').count()).toBeLessThan(120);
    tab.expectQuiet();
  });
});
