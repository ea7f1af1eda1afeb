import { beforeAll, describe, expect, it } from 'vitest';
import { openWidgetRig, text, type WidgetRig } from '../../support/widget-rig.ts';
import { textOf } from '../read-page.ts';

describe('the focus', () => {
  let rig: WidgetRig;

  beforeAll(async () => {
    rig = await openWidgetRig();
  });

  it.each([
    { width: 1280, height: 720 },
    { width: 390, height: 700 },
  ])('is never below the bar at the lower edge ($width x $height)', async (viewport) => {
    const tab = await rig.open({ context: { viewport } });
    await tab.upload(8);
    await expect.poll(() => textOf(tab.widget.locator('io-cost'))).toContain(text('cost.credits', { count: 8 }));
    await tab.widget.locator('io-row').first().locator('[data-control=filename]').focus();
    const hidden: string[] = [];
    for (let step = 0; step < 48; step += 1) {
      const below = await tab.page.evaluate(async () => {
        // One frame for the scroll of the browser, one for the element's.
        for (let frame = 0; frame < 2; frame += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
        let active = document.activeElement as HTMLElement;
        while (active.shadowRoot?.activeElement) active = active.shadowRoot.activeElement as HTMLElement;
        const bar = document.querySelector('image-optimizer')?.shadowRoot?.querySelector('.bar');
        if (!bar || bar.contains(active) || !active.closest('.row')) return null;
        const { bottom, top } = active.getBoundingClientRect();
        const edge = bar.getBoundingClientRect().top;
        return bottom > edge + 1 || top < 0
          ? `${active.dataset.control}: ${Math.round(bottom)} below ${Math.round(edge)}`
          : null;
      });
      if (below) hidden.push(below);
      await tab.page.keyboard.press('Tab');
    }
    expect(hidden).toEqual([]);
  });
});
