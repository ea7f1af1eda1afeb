import type { Locator } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { openWidgetRig, text, type WidgetRig, type WidgetTab } from '../support/widget-rig.ts';
import { ADMIN_CSS, RESET_CSS, STAR_CSS } from './hostile-css.ts';
import { canvasStats, field, rows, textOf } from './read-page.ts';

/** Style of the page: the same width for all. */
const FRAME =
  'html, body, header { margin: 0 !important; padding: 0 !important; } main { display: block; width: 1000px; }';

let rig: WidgetRig;

beforeAll(async () => {
  rig = await openWidgetRig();
});

describe('a page with the strictest content security policy', () => {
  it('shows thumbnails and runs the whole flow without a violation', async () => {
    const tab = await rig.open({ credits: 10 });
    await tab.pick('small/photo-dogs-portrait.jpg', 'small/graphic-badge-alpha.png');
    await tab.untilState('ready');
    for (const row of await rows(tab.widget).all()) {
      await expect.poll(() => canvasStats(row.locator('canvas').first())).toMatchObject({ varied: true });
    }
    await tab.button(text('toolbar.analyze')).click();
    await expect.poll(async () => (await tab.events('io-analyze')).length).toBe(1);
    await tab.button(text('export.sample')).click();
    await expect.poll(() => tab.widget.locator('io-compare canvas').count()).toBe(2);
    await tab.page.keyboard.press('Escape');
    await tab.exportAll();
    await tab.untilState('done');
    tab.expectQuiet();
  });

  it('allows the classic script with its languages too', async () => {
    const tab = await rig.open({ load: ['classic'], elements: [{ locale: 'de' }] });
    await tab.upload(1);
    await expect.poll(() => tab.widget.locator('.base').first().getAttribute('lang')).toBe('de');
    await expect.poll(() => tab.widget.locator('io-row').count()).toBe(1);
    tab.expectQuiet();
  });
});

describe('a page with foreign style sheets', () => {
  async function prepare(css: string): Promise<WidgetTab> {
    return rig.open({ css: css + FRAME, context: { viewport: { width: 1280, height: 1000 } } });
  }

  it('does not change any computed style inside the element', async () => {
    const plain = await prepare('');
    const admin = await prepare(ADMIN_CSS + RESET_CSS);
    const star = await prepare(STAR_CSS);
    for (const hostile of [admin, star]) expect(await changes(plain.widget, hostile.widget)).toEqual([]);
    for (const tab of [plain, admin, star]) {
      await tab.upload(2);
      await expect.poll(() => tab.widget.locator('button.export').isEnabled()).toBe(true);
      for (const row of await rows(tab.widget).all()) {
        await expect.poll(() => canvasStats(row.locator('canvas'))).toMatchObject({ width: expect.any(Number) });
      }
      const alt = field(rows(tab.widget).first(), 'alt');
      await alt.fill('Two words');
      await alt.press('Enter');
      await expect.poll(() => textOf(rows(tab.widget).first())).toContain(text('row.edited'));
    }
    for (const hostile of [admin, star]) expect(await changes(plain.widget, hostile.widget)).toEqual([]);
  });
});

/** Lists differences between the computed styles inside two elements. */
async function changes(plain: Locator, hostile: Locator): Promise<string[]> {
  const [before, after] = [await computedStyles(plain), await computedStyles(hostile)];
  expect(after.map(({ path }) => path)).toEqual(before.map(({ path }) => path));
  expect(before.length).toBeGreaterThan(10);
  const all = before.flatMap(({ path, style }, index) =>
    Object.entries(style)
      .filter(([name, value]) => after[index]?.style[name] !== value)
      .map(([name, value]) => `${path} ${name}: ${value} -> ${after[index]?.style[name]}`),
  );
  // The outermost differences cause the others.
  return all.slice(0, 10);
}

function computedStyles(host: Locator): Promise<{ path: string; style: Record<string, string> }[]> {
  return host.evaluate((start) => {
    const found: { path: string; style: Record<string, string> }[] = [];
    const visit = (root: ParentNode, path: string): void => {
      for (const element of root.children) {
        const here = `${path} > ${element.localName}${element.className && typeof element.className === 'string' ? `.${element.className.trim().replace(/\s+/g, '.')}` : ''}`;
        const computed = getComputedStyle(element);
        const names = [...computed].filter((name) => !name.startsWith('--'));
        found.push({
          path: here,
          style: Object.fromEntries(names.map((name) => [name, computed.getPropertyValue(name)])),
        });
        visit(element, here);
        if (element.shadowRoot) visit(element.shadowRoot, `${here} >>`);
      }
    };
    if (start.shadowRoot) visit(start.shadowRoot, '');
    return found;
  });
}
