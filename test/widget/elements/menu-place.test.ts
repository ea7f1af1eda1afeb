import { beforeAll, expect, it } from 'vitest';
import { openWidgetRig, type WidgetRig } from '../../support/widget-rig.ts';

let rig: WidgetRig;
beforeAll(async () => {
  rig = await openWidgetRig();
});

/** Takes from a shadow root what browsers lack that have no anchors: Chrome before 129, Safari before 26, Firefox before 147. */
function removeAnchors(element: Element): void {
  const { supports } = CSS;
  CSS.supports = (...asked: [string]) => !asked[0].startsWith('position-area') && supports.apply(CSS, asked);
  const newer = ['anchor-name', 'position-anchor', 'position-area', 'position-try-fallbacks', 'position-try'];
  const strip = (rules: CSSRuleList) => {
    for (const rule of rules) {
      if ('style' in rule) for (const name of newer) (rule as CSSStyleRule).style.removeProperty(name);
      if ('cssRules' in rule) strip(rule.cssRules as CSSRuleList);
    }
  };
  for (const sheet of element.shadowRoot?.adoptedStyleSheets ?? []) strip(sheet.cssRules);
}

it.each([
  ['anchors', 'ltr'],
  ['anchors', 'rtl'],
  ['a script', 'ltr'],
  ['a script', 'rtl'],
])('the menu of rare actions stands at its button with its own size, by %s, %s', async (means, direction) => {
  const tab = await rig.open({ elements: [{ lang: direction === 'rtl' ? 'ar' : 'en' }] });
  await tab.upload(1);
  if (means === 'a script') await tab.widget.evaluate(removeAnchors);
  const more = tab.widget.locator('button[popovertarget=menu]');
  await more.click();
  const [menu, button] = await Promise.all([tab.widget.locator('#menu').boundingBox(), more.boundingBox()]);
  if (!menu || !button) throw new Error('the menu is not shown');
  expect(Math.abs(menu.y - (button.y + button.height))).toBeLessThanOrEqual(2);
  const aside = direction === 'rtl' ? menu.x - button.x : menu.x + menu.width - (button.x + button.width);
  expect(Math.abs(aside)).toBeLessThanOrEqual(2);
  expect(menu.height).toBeLessThan(250);
  expect(menu.width).toBeLessThan(350);
  tab.expectQuiet();
});
