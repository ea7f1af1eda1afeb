import { beforeAll, describe, expect, it } from 'vitest';
import { openWidgetRig, text, type WidgetRig } from '../../support/widget-rig.ts';
import { focused } from './elements-rig.ts';
import { alt, analyze, described, open, review, shown, texts } from './review-rig.ts';

describe('the way through a review', () => {
  let rig: WidgetRig;

  beforeAll(async () => {
    rig = await openWidgetRig();
  });

  it('has a strip of all images with their states, which leads to each, and tells the progress', async () => {
    const tab = await described(rig, 4);
    await open(tab);
    const strip = review(tab)
      .getByRole('group', { name: text('list.label') })
      .getByRole('button');
    const states = () => strip.evaluateAll((each) => each.map((button) => button.ariaLabel?.split(', ').at(-1)));
    await expect.poll(states).toEqual(Array(4).fill(text('filter.review')));
    const box = await strip.first().boundingBox();
    expect([box?.width, box?.height]).toEqual([56, 56]);
    await expect.poll(() => strip.locator('canvas').count()).toBe(4);
    await tab.page.keyboard.press('Enter');
    await expect.poll(states).toEqual([text('row.checked'), ...Array(3).fill(text('filter.review'))]);
    const bar = review(tab).locator('progress');
    expect(await bar.getAttribute('aria-label')).toBe(text('reviewing.checked', { done: 1, total: 4 }));
    expect(await review(tab).locator('.where').textContent()).toContain(
      text('reviewing.checked', { done: 1, total: 4 }),
    );
    await strip.nth(3).click();
    await expect.poll(() => shown(tab)).toBe('picture-3.png');
    expect(await strip.nth(3).getAttribute('aria-current')).toBe('true');
    // Typing goes on where a click has led.
    expect(await focused(tab)).toBe('alt');
  });

  it('accepts all only at a second press, and not at a double click', async () => {
    const tab = await described(rig, 3);
    await open(tab);
    const all = review(tab).getByRole('button', { name: text('toolbar.accept-all') });
    await all.dblclick();
    const again = review(tab).getByRole('button', { name: text('reviewing.accept-rest', { count: 3 }) });
    await expect.poll(() => again.count()).toBe(1);
    expect((await texts(tab)).filter(({ origins }) => origins.alt === 'user')).toEqual([]);
    // Whoever goes elsewhere is asked anew.
    await alt(tab).focus();
    await expect.poll(() => again.count()).toBe(0);
    await all.click();
    await again.click();
    await expect.poll(() => focused(tab)).toBe(text('action.close'));
    expect((await texts(tab)).filter(({ origins }) => origins.alt === 'user')).toHaveLength(3);
  });

  it('ends with the ways to the sample and the export', async () => {
    const tab = await rig.open({ credits: 10 });
    await tab.upload(2);
    await analyze(tab);
    const finish = async () => {
      await open(tab);
      await tab.page.keyboard.press('Enter');
      await tab.page.keyboard.press('Enter');
      await expect.poll(() => focused(tab)).toBe(text('action.close'));
    };
    await finish();
    await expect
      .poll(() => review(tab).locator('h2').textContent())
      .toBe(text('reviewing.done', { count: 2, edited: 0, decorative: 0 }));
    const compare = review(tab).getByRole('button', { name: text('reviewing.compare') });
    expect((await compare.locator('svg').boundingBox())?.width).toBe(20);
    expect((await review(tab).locator('header').boundingBox())?.width).toBe(1280);
    await compare.click();
    await expect.poll(() => tab.widget.locator('dialog[open] io-compare').count()).toBe(1);
    await tab.page.keyboard.press('Escape');
    await expect.poll(() => tab.widget.locator('dialog[open]').count()).toBe(0);
    await tab.button(text('reviewing.title')).click();
    await tab.page.keyboard.press('Enter');
    await expect.poll(() => focused(tab)).toBe(text('action.close'));
    await review(tab)
      .getByRole('button', { name: text('export.some', { count: 2 }) })
      .click();
    await expect.poll(() => focused(tab)).toBe(text('confirm.yes', { count: 2 }));
    await tab.page.keyboard.press('Escape');
    await expect.poll(() => tab.widget.locator('dialog[open]').count()).toBe(0);
  });
});
