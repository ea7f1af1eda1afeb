import type { Locator } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { PATIENCE_MS } from '../../support/patience.ts';
import { openWidgetRig, type WidgetRig, type WidgetTab } from '../../support/widget-rig.ts';
import { field, rows, textOf } from '../read-page.ts';
import { addMany, focused, rowCount } from './elements-rig.ts';

/** Whole rows of a list without scrolling. */
const MOST_EXPANDED = 24;
const CONTROLS = ['alt', 'filename', 'title', 'decorative', 'more', 'remove'] as const;

describe('rows of a list longer than the screen', () => {
  let rig: WidgetRig;

  beforeAll(async () => {
    rig = await openWidgetRig();
  });

  async function openWith(count: number): Promise<WidgetTab> {
    const css = 'image-optimizer { --io-list-max-height: 600px }';
    const tab = await rig.open({ elements: [{ 'auto-upload': 'false' }], css });
    await addMany(tab, count);
    await expect.poll(() => rowCount(tab)).toBe(count);
    await expect.poll(() => isExpanded(rows(tab.widget).first())).toBe(true);
    return tab;
  }
  const list = (tab: WidgetTab) => tab.widget.locator('io-list ul');
  const isExpanded = async (row: Locator) => (await row.locator('.fields').count()) === 1;
  const expandedCount = (tab: WidgetTab) => tab.widget.locator('io-row .fields').count();

  /** Scrolls to the end of the list by the mouse wheel. */
  async function scrollThrough(tab: WidgetTab): Promise<void> {
    await list(tab).hover();
    await expect
      .poll(
        async () => {
          await tab.page.mouse.wheel(0, 900);
          return list(tab).evaluate((ul) => ul.scrollHeight - ul.clientHeight - ul.scrollTop);
        },
        { timeout: PATIENCE_MS, interval: 40 },
      )
      .toBeLessThan(2);
    await expect.poll(() => isExpanded(rows(tab.widget).last())).toBe(true);
  }

  it('have fields near the visible part and few nodes elsewhere, also after all were visible', async () => {
    const tab = await openWith(120);
    expect(await expandedCount(tab)).toBeLessThanOrEqual(MOST_EXPANDED);
    expect(await isExpanded(rows(tab.widget).nth(60))).toBe(false);
    const before = await countNodes(tab);
    // 24 rows of 160 nodes, 96 of 16, and the rest of the element.
    expect(before).toBeLessThan(6500);

    await scrollThrough(tab);
    await expect.poll(() => expandedCount(tab)).toBeLessThanOrEqual(MOST_EXPANDED);
    expect(await isExpanded(rows(tab.widget).nth(60))).toBe(false);
    expect(await tab.widget.locator('io-row canvas').count()).toBeLessThanOrEqual(MOST_EXPANDED);
    expect(await countNodes(tab)).toBeLessThan(6500);
    tab.expectQuiet();
  });

  it('are all in the accessibility tree with their names', async () => {
    const tab = await openWith(120);
    const session = await tab.page.context().newCDPSession(tab.page);
    const { nodes } = await session.send('Accessibility.getFullAXTree');
    const told = new Set(nodes.flatMap(({ ignored, name }) => (ignored ? [] : [String(name?.value)])));
    for (let index = 0; index < 120; index += 1) expect(told).toContain(`picture-${index}.png`);
  });

  it('are all expanded in a short list', async () => {
    const tab = await openWith(20);
    await expect.poll(() => expandedCount(tab)).toBe(20);
  });

  it('are expanded near the visible part, and keep their height when they are brief again', async () => {
    const tab = await openWith(80);
    const row = rows(tab.widget).nth(40);
    const height = () => row.evaluate((element) => (element.parentElement as HTMLElement).offsetHeight);
    expect(await isExpanded(row)).toBe(false);
    // The row has the height of the others before it is rendered, so the scroll bar is right.
    const estimate = await height();
    await row.scrollIntoViewIfNeeded();
    await expect.poll(() => isExpanded(row)).toBe(true);
    const seen = await height();
    expect(Math.abs(seen - estimate)).toBeLessThanOrEqual(2);
    await scrollThrough(tab);
    await expect.poll(() => isExpanded(row)).toBe(false);
    expect(Math.abs((await height()) - seen)).toBeLessThanOrEqual(1);
  });

  it('have every field reachable by Tab, forwards and backwards', async () => {
    const count = 32;
    const tab = await openWith(count);
    expect(await expandedCount(tab)).toBeLessThan(count);
    const expected = Array.from({ length: count }, (_, row) => CONTROLS.map((control) => `#${row} ${control}`)).flat();
    await rows(tab.widget).first().locator('[data-control=alt]').focus();
    const forwards: string[] = [];
    for (let step = 0; step < expected.length; step += 1) {
      forwards.push(await focused(tab));
      await tab.page.keyboard.press('Tab');
    }
    expect(forwards).toEqual(expected);

    // The focus is behind the list; the first rows are brief again.
    expect(await focused(tab)).not.toMatch(/^#/);
    await list(tab).evaluate((ul) => ul.scrollTo({ top: 0 }));
    const backwards: string[] = [];
    for (let step = 0; step < expected.length; step += 1) {
      await tab.page.keyboard.press('Shift+Tab');
      backwards.push(await focused(tab));
    }
    expect(backwards).toEqual(expected.toReversed());
  });

  it('are reached by Ctrl and an arrow while they are brief', async () => {
    const tab = await openWith(60);
    await field(rows(tab.widget).first(), 'title').focus();
    for (let step = 1; step < 40; step += 1) {
      await tab.page.keyboard.press('Control+ArrowDown');
      await expect.poll(() => focused(tab)).toBe(`#${step} title`);
    }
  });

  it('stay expanded with the focus, wherever the list is scrolled to', async () => {
    const tab = await openWith(80);
    const row = rows(tab.widget).nth(2);
    await field(row, 'alt').pressSequentially('Half a sen');
    await scrollThrough(tab);
    expect(await isExpanded(row)).toBe(true);
    expect(await focused(tab)).toBe('#2 alt');
    // The neighbours are expanded as well.
    expect(await isExpanded(rows(tab.widget).nth(3))).toBe(true);
    await tab.page.keyboard.type('tence');
    await expect.poll(() => field(row, 'alt').inputValue()).toBe('Half a sentence');
  });

  it('keep typed text until they are expanded again', async () => {
    const tab = await openWith(80);
    const row = rows(tab.widget).nth(3);
    await field(row, 'alt').fill('A bridge at night');
    await field(row, 'decorative').focus();
    await field(rows(tab.widget).last(), 'alt').focus();
    await list(tab).evaluate((ul) => ul.scrollTo({ top: ul.scrollHeight / 4 }));
    await scrollThrough(tab);
    await expect.poll(() => isExpanded(row)).toBe(false);
    await row.scrollIntoViewIfNeeded();
    await expect.poll(() => isExpanded(row)).toBe(true);
    await expect.poll(() => field(row, 'alt').inputValue()).toBe('A bridge at night');
  });

  it('show their state and error while they are brief', async () => {
    rig.proxy.inject(
      { kind: 'answer', status: 503, json: { error: 'busy', code: 'overloaded' } },
      { path: /^\/v1\/sessions$/, times: 100 },
    );
    const tab = await rig.open({ elements: [{ retries: '1' }] });
    await addMany(tab, 40);
    const first = rows(tab.widget).first();
    await expect.poll(() => first.locator('[part~=row-error]').count()).toBe(1);
    const message = await textOf(first.locator('#error'));
    const brief = rows(tab.widget).nth(35);
    await expect.poll(() => textOf(brief)).toContain(message);
    expect(await isExpanded(brief)).toBe(false);
    expect(await textOf(brief)).toContain('picture-35.png');
    rig.proxy.reset();
  });

  it('have their texts while they are brief, so that a search in the page finds them', async () => {
    const tab = await openWith(80);
    const row = rows(tab.widget).nth(60);
    await row.evaluate((element) => {
      const { itemId, context } = element as unknown as {
        itemId: string;
        context: { optimizer: { setMetadata(id: string, field: string, value: string): void } };
      };
      context.optimizer.setMetadata(itemId, 'filename', 'heron-at-dusk');
      context.optimizer.setMetadata(itemId, 'title', 'Grey heron');
      context.optimizer.setMetadata(itemId, 'alt', 'A heron waits in the reeds');
    });
    await expect.poll(() => textOf(row)).toContain('heron-at-dusk · Grey heron · A heron waits in the reeds');
    expect(await isExpanded(row)).toBe(false);
    // As a browser does with a match of a search.
    await row.locator('.facts').scrollIntoViewIfNeeded();
    await expect.poll(() => isExpanded(row)).toBe(true);
    await expect.poll(() => field(row, 'alt').inputValue()).toBe('A heron waits in the reeds');
  });

  it('are not kept in memory after all images were removed', async () => {
    const tab = await openWith(80);
    await scrollThrough(tab);
    await tab.widget.evaluate(async (element) => {
      const list = element.shadowRoot?.querySelector('io-list')?.shadowRoot;
      const kept = [...(list?.querySelectorAll('io-row, canvas, .fields') ?? [])].map((each) => new WeakRef(each));
      Object.assign(window, { alive: () => kept.filter((each) => each.deref()).length });
      (element as unknown as { clear(): void }).clear();
    });
    await expect.poll(() => rowCount(tab)).toBe(0);
    const session = await tab.page.context().newCDPSession(tab.page);
    const alive = async () => {
      await session.send('HeapProfiler.collectGarbage');
      return tab.page.evaluate(() => (window as unknown as { alive(): number }).alive());
    };
    await expect.poll(alive).toBe(0);
  });
});

/** Counts the nodes of the element, shadow roots included. */
function countNodes(tab: WidgetTab): Promise<number> {
  return tab.widget.evaluate((element) => {
    const count = (node: Node): number => {
      const root = (node as Element).shadowRoot;
      const below = [...node.childNodes, ...(root ? [root] : [])];
      return below.reduce((sum, each) => sum + count(each), 1);
    };
    return count(element);
  });
}
