import { beforeAll, describe, expect, it } from 'vitest';
import { openWidgetRig, text, type WidgetRig, type WidgetTab } from '../../support/widget-rig.ts';
import { rows } from '../read-page.ts';
import { addMany, focused, rowCount } from './elements-rig.ts';

interface Shown {
  name: string;
  selected: boolean;
  metadata: { title: string | null; alt: string | null };
}
const items = ({ widget }: WidgetTab) =>
  widget.evaluate((element) =>
    (element as unknown as { items: Shown[] }).items.map(({ name, selected, metadata }) => ({
      name,
      selected,
      metadata,
    })),
  );
const selected = async (tab: WidgetTab) => (await items(tab)).flatMap((item, index) => (item.selected ? [index] : []));
const names = async (tab: WidgetTab) => (await items(tab)).map(({ name }) => name);
const box = (tab: WidgetTab, index: number) => rows(tab.widget).nth(index).locator('[data-control=select]');

/** Selects rows, in a list without a selection. */
async function selectRows(tab: WidgetTab, ...places: number[]): Promise<void> {
  const select = tab.button(text('finder.select'));
  if ((await select.getAttribute('aria-pressed')) !== 'true') await select.click();
  for (const place of places) await box(tab, place).click();
  await expect.poll(() => selected(tab)).toEqual(places);
}

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
    await tab.choose(text('toolbar.undo'));
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

  it('are removed together, after a question that says how many and with one announcement', async () => {
    const tab = await rig.open({ elements: [{ remember: 'test' }] });
    await tab.upload(6);
    await selectRows(tab, 1, 3);
    const remove = tab.button(text('action.remove'));
    await remove.click();
    await expect.poll(() => focused(tab)).toBe(text('confirm.keep'));
    await expect.poll(() => tab.widget.locator('dialog h2').textContent()).toBe(text('confirm.clear', { count: 2 }));
    await tab.page.keyboard.press('Enter');
    await expect.poll(() => focused(tab)).toBe(text('action.remove'));
    expect(await rowCount(tab)).toBe(6);

    await remove.click();
    await tab.widget.locator('dialog button[value=yes]').click();
    await expect.poll(() => names(tab)).toEqual(['picture-0.png', 'picture-2.png', 'picture-4.png', 'picture-5.png']);
    const removed = (await tab.events('io-remove')).map(({ detail }) => detail.items.map((item: Shown) => item.name));
    expect(removed).toEqual([['picture-1.png', 'picture-3.png']]);
    await expect.poll(() => tab.spoken()).toContain('polite: 2 images removed');
    expect((await tab.spoken()).filter((said) => said.includes('removed'))).toHaveLength(1);
    expect(await focused(tab)).toBe(text('action.remove'));
    await expect.poll(() => remove.getAttribute('aria-disabled')).toBe('true');

    await tab.page.reload();
    await expect.poll(() => rowCount(tab)).toBe(4);
  });

  it('are exported without the others: question, warning and price are about these alone', async () => {
    const tab = await rig.open({ credits: 5 });
    await tab.upload(6);
    const idle = tab.widget.locator('.selection').getByRole('button', { name: text('export.none') });
    await tab.button(text('finder.select')).click();
    await expect.poll(() => idle.getAttribute('aria-disabled')).toBe('true');
    await selectRows(tab, 2, 3);
    await tab.button(text('export.some', { count: 2 })).click();
    const dialog = tab.widget.locator('dialog');
    await expect.poll(() => dialog.textContent()).toContain(text('confirm.yes', { count: 2 }));
    const said = await dialog.textContent();
    expect(said).toContain(text('confirm.export', { count: 2 }));
    expect(said).toContain(text('confirm.missing', { count: 2 }));
    expect(said).toContain(text('cost.credits', { count: 3 }));
    await dialog.locator('button[value=yes]').click();
    await expect.poll(async () => (await tab.events('io-export')).length).toBe(1);
    expect((await tab.ledger()).charged).toBe(2);
    const [asked] = await tab.events('io-before-export');
    expect(asked?.detail.cost).toBe(2);
    expect(asked?.detail.images.map((image: Shown) => image.name)).toEqual(['picture-2.png', 'picture-3.png']);
    await expect.poll(() => idle.getAttribute('aria-disabled')).toBe('true');
    expect(await selected(tab)).toEqual([2, 3]);
    await tab.widget.evaluate((element) => element.setAttribute('readonly', ''));
    await expect.poll(() => tab.widget.locator('.selection').count()).toBe(0);
  });

  it('are exported as far as the credits go, also when these were spent meanwhile', async () => {
    const tab = await rig.open({ credits: 2 });
    await tab.upload(6);
    await selectRows(tab, 3, 4, 5);
    await tab.button(text('export.some', { count: 3 })).click();
    const dialog = tab.widget.locator('dialog');
    await expect.poll(() => dialog.textContent()).toContain(text('cost.short', { count: 1 }));
    await dialog.getByRole('button', { name: text('export.first', { count: 2 }) }).click();
    await expect.poll(() => dialog.locator('h2').textContent()).toBe(text('confirm.export', { count: 2 }));
    const refused = { error: 'too few', code: 'insufficient_credits', balance: 1, required: 2, shortfall: 1 };
    rig.proxy.inject({ kind: 'answer', status: 402, json: refused }, { path: /export/, times: 1 });
    const price = { operation: 'export', imageCount: 6, costPerImage: 1, cost: 6, balance: 1, balanceAfter: -5 };
    rig.proxy.inject(
      { kind: 'answer', status: 200, json: { ...price, sufficient: false, shortfall: 5 } },
      { path: /credits\/check/, times: 1 },
    );
    await dialog.locator('button[value=yes]').click();
    const offer = (count: number) =>
      tab.widget.locator('.notice').getByRole('button', { name: text('export.first', { count }) });
    await offer(1).waitFor();
    // With credits for more than these, no others are offered.
    const more = { ...price, balance: 9, balanceAfter: 3, sufficient: true, shortfall: 0 };
    rig.proxy.inject({ kind: 'answer', status: 200, json: more }, { path: /credits\/check/, times: 1 });
    await tab.widget
      .locator('.notice')
      .getByRole('button', { name: text('notice.check-cost') })
      .click();
    await offer(2).click();
    await dialog.locator('button[value=yes]').click();
    await expect.poll(async () => (await tab.events('io-export')).length).toBe(1);
    const [, again] = await tab.events('io-before-export');
    expect(again?.detail.images.map((image: Shown) => image.name)).toEqual(['picture-3.png', 'picture-4.png']);
    expect((await tab.ledger()).charged).toBe(2);
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
    await expect.poll(() => tab.spoken()).toContain(`polite: ${text('finder.shown', { count: 1 })}`);
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
    const pressed = () =>
      Promise.all(['finder.list', 'finder.grid'].map((name) => tab.button(text(name)).getAttribute('aria-pressed')));
    expect(await pressed()).toEqual(['false', 'true']);
    // Pressed once more it stays.
    await tab.button(text('finder.grid')).click();
    expect(await pressed()).toEqual(['false', 'true']);
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
    await expect.poll(() => rowCount(tab)).toBe(300);
    await tab.button(text('finder.select')).click();
    await tab.button(text('select.all')).click();
    await expect.poll(() => selected(tab)).toHaveLength(300);
    await tab.widget.getByRole('searchbox').fill('picture-29');
    await expect.poll(() => rowCount(tab)).toBe(11);
    await tab.widget.getByRole('searchbox').fill('');
    await tab.button(text('finder.grid')).click();
    await expect.poll(() => rowCount(tab)).toBe(300);
    // Few have pictures and buttons.
    expect(await rows(tab.widget).locator('.card').count()).toBeLessThan(120);
    tab.expectQuiet();
  });
});
