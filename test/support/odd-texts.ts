import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

/** Sizes of the tokens in pixels, at the default size of a browser: their names tell them. The base is 14. */
const TOKENS = readFileSync(new URL('../../widget/styles/tokens.css', import.meta.url), 'utf8');
const SIZES = [14, ...[...TOKENS.matchAll(/--_t(\d+):/g)].map(([, pixels]) => Number(pixels))];
const WEIGHTS = ['400', '500', '600'];
/** Fields that show a text. A select shows its options in its own size. */
const FIELDS = 'input:not([type=checkbox], [type=radio], [type=range], [type=file]), select, textarea';

/**
 * Returns visible texts and fields of a page, or of an element in it, whose size or weight is none of the tokens, shadow roots
 * included: one line each.
 */
export function findOddTexts(page: Page, within = 'html'): Promise<string[]> {
  return page.locator(within).evaluateAll(
    (places, { sizes, weights, fields }) => {
      const partsOf = (element: Element): Element[] => [
        element,
        ...[...(element.shadowRoot?.children ?? []), ...element.children].flatMap(partsOf),
      ];
      const wordsOf = (element: Element): string => {
        if (element.matches(fields)) return 'a field';
        if (element.matches('option, script, style')) return '';
        return [...element.childNodes].map((node) => (node instanceof Text ? node.data.trim() : '')).join('');
      };
      return places.flatMap(partsOf).flatMap((element) => {
        const words = wordsOf(element);
        if (!words || !element.checkVisibility()) return [];
        const { fontSize, fontWeight } = getComputedStyle(element);
        // Texts of no size are for screen readers, beside an icon.
        if (fontSize === '0px') return [];
        const fits = sizes.some((size) => Math.abs(size - Number.parseFloat(fontSize)) < 0.3);
        const line = `<${element.localName}> ${words.slice(0, 40)}: ${fontSize}, ${fontWeight}`;
        return fits && weights.includes(fontWeight) ? [] : [line];
      });
    },
    { sizes: SIZES, weights: WEIGHTS, fields: FIELDS },
  );
}
