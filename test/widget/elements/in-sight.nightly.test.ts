import { beforeAll, describe, expect, it } from 'vitest';
import { GOOD_ANSWER } from '../../support/fake-vision-server.ts';
import { openWidgetRig, text, type WidgetRig, type WidgetTab } from '../../support/widget-rig.ts';
import { rows, textOf } from '../read-page.ts';
import { rowCount } from './elements-rig.ts';

const IMAGES = 30;
const DESK = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };

let rig: WidgetRig;
beforeAll(async () => {
  rig = await openWidgetRig();
});

async function open(viewport: { width: number; height: number }): Promise<WidgetTab> {
  const tab = await rig.open({ credits: 40, context: { viewport } });
  await tab.upload(IMAGES);
  await expect.poll(() => rowCount(tab)).toBe(IMAGES);
  await tab.widget.evaluate((element) => element.scrollIntoView());
  return tab;
}

/** Counts the rows that are whole between the upper edge of the window and the bar. */
const visibleRows = ({ widget }: WidgetTab) =>
  widget.evaluate((element) => {
    const root = element.shadowRoot as ShadowRoot;
    const end = root.querySelector('.bar')?.getBoundingClientRect().top ?? 0;
    const places = [...(root.querySelector('io-list')?.shadowRoot?.querySelectorAll('io-row') ?? [])];
    return places.filter((row) => {
      const { top, bottom } = row.getBoundingClientRect();
      return top >= 0 && bottom <= end;
    }).length;
  });

const describeAll = ({ widget }: WidgetTab) =>
  widget.evaluate((element) => (element as unknown as { analyze(): Promise<void> }).analyze());

const solid = async ({ widget }: WidgetTab) =>
  (await widget.locator('.button.primary:not(:disabled)').allTextContents()).map((label) => label.trim());

describe('with 30 images', () => {
  it('seven rows are in sight at 1280 x 800, and the page is at most 2,600 pixels high, also when all are described', async () => {
    const tab = await open(DESK);
    const height = () => tab.page.evaluate(() => document.documentElement.scrollHeight);
    await expect.poll(() => visibleRows(tab)).toBeGreaterThanOrEqual(7);
    await expect.poll(height).toBeLessThanOrEqual(2600);
    rig.vision.answer = { ...GOOD_ANSWER, people: true, textInImage: 'A sign' };
    await describeAll(tab);
    rig.vision.reset();
    await expect.poll(() => textOf(rows(tab.widget).last())).toContain(text('filter.review'));
    await expect.poll(() => visibleRows(tab)).toBeGreaterThanOrEqual(7);
    await expect.poll(height).toBeLessThanOrEqual(2600);
  });

  it('the first row is at most 200 pixels below the upper edge of the element on a phone, and nothing scrolls sideways', async () => {
    const tab = await open(PHONE);
    const start = () =>
      rows(tab.widget)
        .first()
        .evaluate((row) => row.getBoundingClientRect().top);
    await expect.poll(start).toBeLessThanOrEqual(200);
    expect(await tab.page.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE.width);
  });
});

it('the present step is the one solid button: describe, review, export, download', async () => {
  const tab = await rig.open({ credits: 5, context: { viewport: DESK } });
  await tab.upload(2);
  await expect.poll(() => solid(tab)).toEqual([text('toolbar.analyze')]);
  await describeAll(tab);
  await expect.poll(() => solid(tab)).toEqual([text('reviewing.title')]);
  await expect.poll(() => tab.widget.locator('button.review').getAttribute('data-count')).toBe('2');
  await tab.widget.evaluate((element) =>
    (element as unknown as { optimizer: { acceptAll(): void } }).optimizer.acceptAll(),
  );
  await expect.poll(() => solid(tab)).toEqual([text('export.some', { count: 2 })]);
  await tab.exportAll();
  await tab.untilState('done');
  await expect.poll(() => solid(tab)).toEqual([text('outcome.download-all')]);
});

it('a row tells one state: suggested, then checked or edited', async () => {
  const tab = await rig.open({ context: { viewport: DESK } });
  await tab.pick('photos/photo-dogs-portrait.jpg', 'photos/photo-stream.jpg');
  await tab.untilState('ready');
  await describeAll(tab);
  const states = () => rows(tab.widget).locator('.badge').allTextContents();
  await expect.poll(states).toEqual([text('row.suggested'), text('row.suggested')]);
  const alt = rows(tab.widget).first().locator('[data-control=alt]');
  await alt.fill('A grey picture');
  await alt.blur();
  await expect.poll(states).toEqual([text('row.edited'), text('row.suggested')]);
  await tab.widget.evaluate((element) =>
    (element as unknown as { optimizer: { acceptAll(): void } }).optimizer.acceptAll(),
  );
  await expect.poll(states).toEqual([text('row.edited'), text('row.checked')]);
  await tab.choose(text('toolbar.undo'));
  await tab.choose(text('toolbar.undo'));
  await expect.poll(states).toEqual([text('row.suggested'), text('row.suggested')]);
});

it('an export asks about texts to check, and leads to their review', async () => {
  const tab = await rig.open({ credits: 5 });
  await tab.upload(2);
  rig.vision.answer = { ...GOOD_ANSWER, people: true };
  await describeAll(tab);
  rig.vision.reset();
  await tab.widget.locator('button.export').click();
  const dialog = tab.widget.locator('dialog');
  await expect.poll(() => textOf(dialog)).toContain(text('confirm.review', { count: 2 }));
  await dialog.getByRole('button', { name: text('reviewing.title') }).click();
  await tab.widget.locator('io-review .name').waitFor();
  expect((await tab.ledger()).charged).toBe(0);
});
