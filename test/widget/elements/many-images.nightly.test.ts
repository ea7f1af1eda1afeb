import { beforeAll, describe, expect, it } from 'vitest';
import { openWidgetRig, text, type WidgetRig } from '../../support/widget-rig.ts';
import { canvasStats, field, rows } from '../read-page.ts';
import { addMany, focused, rowCount } from './elements-rig.ts';

describe('many images', () => {
  let rig: WidgetRig;

  beforeAll(async () => {
    rig = await openWidgetRig();
  });

  /** Without uploads, since only the rows are tested. */
  const elements = [{ 'auto-upload': 'false' }];

  it('are added to the page in slices, and only few get thumbnails', async () => {
    const tab = await rig.open({ elements });
    await tab.page.evaluate(() => {
      const decode = window.createImageBitmap;
      const counts = { now: 0, most: 0, all: 0 };
      Object.assign(window, {
        decodes: counts,
        createImageBitmap: async (...parts: Parameters<typeof decode>) => {
          counts.now += 1;
          counts.all += 1;
          counts.most = Math.max(counts.most, counts.now);
          return decode(...parts).finally(() => {
            counts.now -= 1;
          });
        },
      });
      const steps: number[] = [];
      Object.assign(window, { steps });
      const countRows = () => {
        const list = document.querySelector('image-optimizer')?.shadowRoot?.querySelector('io-list');
        const count = list?.shadowRoot?.querySelectorAll('io-row').length ?? 0;
        if (count && count !== steps.at(-1)) steps.push(count);
        if (count < 500) setTimeout(countRows);
      };
      countRows();
    });
    await addMany(tab, 500);
    await expect.poll(() => rowCount(tab)).toBe(500);
    const { steps, decodes } = await tab.page.evaluate(() => {
      const { steps, decodes } = window as unknown as { steps: number[]; decodes: { most: number; all: number } };
      return { steps, decodes };
    });
    expect(steps[0]).toBeLessThanOrEqual(12);
    expect(Math.max(...steps.slice(1).map((count, index) => count - (steps[index] ?? 0)))).toBeLessThanOrEqual(50);
    expect(decodes.most).toBeLessThanOrEqual(2);
    expect(decodes.all).toBeLessThan(40);

    // The skip link skips them all.
    await tab.button(text('list.skip', { count: 500 })).focus();
    await tab.page.keyboard.press('Enter');
    expect(await focused(tab)).toBe(text('export.upload'));
    tab.expectQuiet();
  });

  it('get thumbnails when they are scrolled to', async () => {
    const tab = await rig.open({ elements });
    await addMany(tab, 60);
    const last = rows(tab.widget).nth(59);
    await expect.poll(() => rowCount(tab)).toBe(60);
    expect(await last.locator('canvas').count()).toBe(0);
    await last.scrollIntoViewIfNeeded();
    await expect.poll(() => canvasStats(last.locator('canvas'))).toMatchObject({ width: expect.any(Number) });
  });

  it.each(['list', 'grid'])(
    'from a thousand on are in the page only near its visible part, when the page scrolls (%s)',
    async (view) => {
      const tab = await rig.open({ elements });
      await addMany(tab, 1000);
      if (view === 'grid') await tab.button(text('finder.grid')).click();
      const shown = () =>
        tab.widget.locator('io-list li:not(.gap)').evaluateAll((each) => each.map((li) => Number(li.ariaPosInSet)));
      await expect.poll(async () => (await shown()).length).toBeGreaterThan(3);
      expect((await shown()).length).toBeLessThan(160);
      for (const share of [0.5, 1]) {
        await expect
          .poll(async () => {
            await tab.widget.locator('io-list ul').evaluate((list, at) => {
              const { top, height } = list.getBoundingClientRect();
              scrollTo({ top: scrollY + top + height * at - innerHeight });
            }, share);
            const near = (await shown()).filter((position) => Math.abs(position - 1000 * share) < 60);
            return near.length;
          })
          .toBeGreaterThan(3);
        expect((await shown()).length).toBeLessThan(160);
      }
    },
  );

  it('from a thousand on are in the page only if they are visible or have the focus', async () => {
    const tab = await rig.open({ elements, css: 'image-optimizer { --io-list-max-height: 600px }' });
    await addMany(tab, 1000);
    const list = tab.widget.locator('io-list ul');
    const shown = () => list.locator('li:not(.gap)').evaluateAll((each) => each.map((li) => Number(li.ariaPosInSet)));
    await expect.poll(async () => (await shown()).length).toBeGreaterThan(3);
    expect((await shown()).length).toBeLessThan(60);
    await expect.poll(() => list.locator('li:not(.gap)').first().getAttribute('aria-setsize')).toBe('1000');

    await field(rows(tab.widget).first(), 'alt').fill('The first of many');
    // Rows are measured when they are rendered, so the estimated end moves.
    const atEnd = async () => {
      await list.evaluate((element) => element.scrollTo({ top: element.scrollHeight }));
      return (await shown()).at(-1);
    };
    await expect.poll(atEnd).toBe(1000);
    expect((await shown())[0]).toBe(1);
    expect((await shown()).length).toBeLessThan(60);
    expect(await focused(tab)).toBe('#0 alt');

    await tab.page.keyboard.press('Control+ArrowDown');
    expect(await focused(tab)).toMatch(/ alt$/);
    await expect.poll(shown).toEqual(expect.arrayContaining([1, 2, 3]));
    // The first row was removed from the page for a moment; its typed text was not.
    await expect.poll(() => field(rows(tab.widget).first(), 'alt').inputValue()).toBe('The first of many');
  });
});
