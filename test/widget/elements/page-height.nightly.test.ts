import { beforeAll, describe, expect, it } from 'vitest';
import { openWidgetRig, text, type WidgetRig, type WidgetTab } from '../../support/widget-rig.ts';
import { addMany, rowCount } from './elements-rig.ts';

const IMAGES = 30;

let rig: WidgetRig;
beforeAll(async () => {
  rig = await openWidgetRig();
});

/** Height of the list, beside what its lines of rows or cards take in the height of the first, a whole one. */
const heights = (tab: WidgetTab) =>
  tab.widget.locator('io-list ul').evaluate((ul) => {
    const places = [...ul.children] as HTMLElement[];
    const columns = places.filter(({ offsetTop }) => offsetTop === places[0]?.offsetTop).length;
    const first = places[0]?.firstElementChild as HTMLElement;
    return { list: ul.scrollHeight, wanted: Math.ceil(places.length / columns) * first.offsetHeight, columns };
  });

async function expectNoHoles(tab: WidgetTab, columns?: number): Promise<void> {
  await expect
    .poll(async () => {
      const { list, wanted, columns: found } = await heights(tab);
      if (columns !== undefined && found !== columns) return `${found} columns`;
      return Math.abs(list / wanted - 1) < 0.1 ? 'no holes' : `${list} instead of ${wanted}`;
    })
    .toBe('no holes');
}

/** Scrolls through the page to its end and back, a screen at a time, and waits until each has whole rows. No step skips images. */
async function scrollThrough(tab: WidgetTab): Promise<void> {
  const move = async (step: number) => {
    const before = await tab.page.evaluate(() => window.scrollY);
    await tab.page.evaluate((step) => window.scrollBy(0, step), step);
    await tab.page.waitForFunction(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0, true))));
    const moved = Math.abs((await tab.page.evaluate(() => window.scrollY)) - before);
    expect(moved).toBeLessThanOrEqual(Math.abs(step) + 72);
    return moved > 0;
  };
  for (const step of [600, -600]) while (await move(step));
}

describe('a page with 30 images', () => {
  const open = async () => {
    const tab = await rig.open({
      elements: [{ 'auto-upload': 'false' }],
      context: { viewport: { width: 1280, height: 800 } },
    });
    await addMany(tab, IMAGES);
    await expect.poll(() => rowCount(tab)).toBe(IMAGES);
    return tab;
  };

  it('is as high as its rows, also when they become narrower', async () => {
    const tab = await open();
    await expectNoHoles(tab);
    await scrollThrough(tab);
    await expectNoHoles(tab);
    await tab.page.setViewportSize({ width: 400, height: 800 });
    await expectNoHoles(tab);
    await tab.page.setViewportSize({ width: 1280, height: 800 });
    await expectNoHoles(tab);
    tab.expectQuiet();
  });

  it('is as high as its cards after the switch, after scrolling and in another width', async () => {
    const tab = await open();
    await tab.button(text('finder.grid')).click();
    await expect.poll(() => rowCount(tab)).toBe(IMAGES);
    await expectNoHoles(tab);
    await scrollThrough(tab);
    await expectNoHoles(tab);
    await tab.page.setViewportSize({ width: 400, height: 800 });
    await expectNoHoles(tab, 2);
    await scrollThrough(tab);
    await tab.button(text('finder.list')).click();
    await expectNoHoles(tab, 1);
    tab.expectQuiet();
  });
});
