import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { noiseImage } from '../support/small-images.ts';
import { openWidgetRig, text, type WidgetRig, type WidgetTab } from '../support/widget-rig.ts';
import { rows, textOf } from './read-page.ts';

describe('one session on two pages', () => {
  let rig: WidgetRig;

  beforeAll(async () => {
    rig = await openWidgetRig();
  });
  afterEach(() => rig.proxy.reset());

  /** Opens two pages in separate browser contexts with the same three images. */
  async function openTwo(attributes: Record<string, string> = {}, edge = 64): Promise<[WidgetTab, WidgetTab]> {
    const one = await rig.open({ credits: 20, elements: [attributes] });
    await one.pick(
      ...(await Promise.all([1, 2, 3].map((seed) => noiseImage(`${seed}.png`, { width: edge, height: edge, seed })))),
    );
    await expect.poll(async () => (await one.events('io-upload')).length).toBe(3);
    const sessionId = (await one.widget.getAttribute('session-id')) ?? '';
    const two = await rig.open({ account: one.account, elements: [{ ...attributes, 'session-id': sessionId }] });
    await expect.poll(() => rows(two.widget).count()).toBe(3);
    for (const tab of [one, two]) await expect.poll(() => tab.widget.locator('button.export').isEnabled()).toBe(true);
    return [one, two];
  }

  const exportsSent = () => rig.proxy.seen.filter(({ method, path }) => method === 'POST' && path.endsWith('/export'));
  const notices = (tab: WidgetTab) => textOf(tab.widget.locator('.notices'));

  async function expectExported(...tabs: WidgetTab[]) {
    for (const tab of tabs) {
      await tab.untilState('done');
      expect((await tab.events('io-export')).at(-1)?.detail).toMatchObject({ succeeded: 3, failed: 0 });
      expect(await textOf(tab.widget.locator('.outcome'))).toContain(text('outcome.all', { count: 3 }));
      expect(await tab.events('io-error')).toEqual([]);
    }
  }

  it('pays once if both export one after the other: the second shows the results of the first', async () => {
    const [one, two] = await openTwo();
    await one.exportAll();
    await expectExported(one);
    await two.exportAll();
    await expectExported(one, two);
    expect(await one.ledger()).toEqual({ charged: 3, refunded: 0, charges: 1 });
    expect(exportsSent()).toHaveLength(1);
    expect(await notices(two)).toContain(text('notice.elsewhere'));

    // An intended second export has other content.
    await two.widget.evaluate((element) => Object.assign(element, { format: 'png' }));
    await two.exportAll();
    await expect.poll(async () => (await two.events('io-export')).length).toBe(2);
    expect(await one.ledger()).toMatchObject({ charged: 6, charges: 2 });
    one.expectQuiet();
    two.expectQuiet();
  });

  it('pays once if the second exports while the first export runs, and shows that one', async () => {
    const [one, two] = await openTwo({ format: 'avif', preset: 'maximum' }, 640);
    await one.exportAll();
    await expect.poll(async () => (await one.events('io-export-progress')).length).toBeGreaterThan(0);
    await two.exportAll();
    await expect.poll(() => two.widget.locator('.notices').count()).toBe(1);
    expect(await notices(two)).toContain(text('notice.elsewhere'));
    expect(await one.events('io-export')).toEqual([]);
    await expectExported(one, two);
    expect((await two.events('io-export-progress')).length).toBeGreaterThan(0);
    expect(await one.ledger()).toEqual({ charged: 3, refunded: 0, charges: 1 });
    expect(exportsSent()).toHaveLength(1);
  });

  /** Holds requests for exports until both pages have sent one, so that neither sees the other's. */
  async function holdUntilBoth(tabs: WidgetTab[]) {
    let open = () => {};
    const both = new Promise<void>((resolve) => {
      open = resolve;
    });
    let arrived = 0;
    for (const { page } of tabs) {
      await page.route('**/export', async (route) => {
        arrived += 1;
        if (arrived === tabs.length) open();
        await both;
        await route.continue();
      });
    }
  }

  it('pays once if both export at the same moment', async () => {
    const tabs = await openTwo();
    await holdUntilBoth(tabs);
    await Promise.all(tabs.map((tab) => tab.exportAll()));
    await expectExported(...tabs);
    expect(exportsSent()).toHaveLength(2);
    expect(await tabs[0].ledger()).toEqual({ charged: 3, refunded: 0, charges: 1 });
  });

  it('pays once for each image if they export different parts at the same moment', async () => {
    const [one, two] = await openTwo();
    await holdUntilBoth([one, two]);
    const some = two.widget.evaluate((element) => {
      const { items } = element as unknown as { items: { id: string }[] };
      return (element as unknown as { export(ids: string[]): Promise<unknown> }).export(
        items.slice(0, 2).map(({ id }) => id),
      );
    });
    await Promise.all([some, one.exportAll()]);
    await one.untilState('done');
    expect((await one.events('io-export')).at(-1)?.detail).toMatchObject({ succeeded: 3, failed: 0 });
    expect(await one.ledger()).toMatchObject({ charged: 3, refunded: 0 });
    for (const tab of [one, two]) expect(await tab.events('io-error')).toEqual([]);
  });
});
