import { beforeAll, describe, expect, it } from 'vitest';
import { openWidgetRig, text, type WidgetRig, type WidgetTab } from '../../support/widget-rig.ts';
import { rows } from '../read-page.ts';
import { addMany } from './elements-rig.ts';

describe('an element that was cleared or removed', () => {
  let rig: WidgetRig;

  beforeAll(async () => {
    rig = await openWidgetRig();
  });

  const elements = [{ 'auto-upload': 'false' }];

  /** Counts nodes and listeners of the page after a garbage collection. */
  async function countNodes(tab: WidgetTab): Promise<{ nodes: number; jsEventListeners: number }> {
    const session = await tab.page.context().newCDPSession(tab.page);
    for (let time = 0; time < 3; time += 1) {
      await session.send('HeapProfiler.collectGarbage');
      await tab.page.waitForTimeout(50);
    }
    const { nodes, jsEventListeners } = await session.send('Memory.getDOMCounters');
    await session.detach();
    return { nodes, jsEventListeners };
  }

  async function addAndClear(tab: WidgetTab): Promise<void> {
    await addMany(tab, 12);
    await expect.poll(() => rows(tab.widget).count()).toBe(12);
    await tab.widget.getByRole('radio', { name: text('filter.missing') }).check({ force: true });
    await tab.widget.evaluate((element) => (element as unknown as { clear(): void }).clear());
    await expect.poll(() => rows(tab.widget).count()).toBe(0);
  }

  it('keeps no rows, settings or filters in memory', async () => {
    const tab = await rig.open({ elements });
    await addAndClear(tab);
    await addAndClear(tab);
    const before = await countNodes(tab);
    for (let time = 0; time < 3; time += 1) await addAndClear(tab);
    const after = await countNodes(tab);
    // One row has 160 nodes, and the settings have 400.
    expect(after.nodes - before.nodes).toBeLessThan(50);
    expect(after.jsEventListeners).toBe(before.jsEventListeners);
    tab.expectQuiet();
  });

  it('is freed with everything in it', async () => {
    const tab = await rig.open({ elements });
    const putBackAnother = async () => {
      await addMany(tab, 12);
      await expect.poll(() => rows(tab.widget).count()).toBe(12);
      await tab.widget.evaluate((element) => {
        const { headers } = element as unknown as { headers: object };
        element.replaceWith(Object.assign(element.cloneNode(), { headers }));
      });
      await expect.poll(() => rows(tab.widget).count()).toBe(0);
    };
    await putBackAnother();
    await putBackAnother();
    const before = await countNodes(tab);
    for (let time = 0; time < 3; time += 1) await putBackAnother();
    expect((await countNodes(tab)).nodes - before.nodes).toBeLessThan(50);
    tab.expectQuiet();
  });

  it('has a form around the filter that sends nothing', async () => {
    const tab = await rig.open({ elements });
    await addMany(tab, 2);
    const missing = tab.widget.getByRole('radio', { name: text('filter.missing') });
    await missing.focus();
    await tab.page.keyboard.press('Space');
    await tab.page.keyboard.press('Enter');
    const address = tab.page.url();
    await missing.evaluate((radio) => (radio as HTMLInputElement).form?.requestSubmit());
    await tab.page.waitForTimeout(100);
    expect(tab.page.url()).toBe(address);
    await expect.poll(() => rows(tab.widget).count()).toBe(2);
    await expect.poll(() => missing.isChecked()).toBe(true);
    tab.expectQuiet();
  });
});
