import type { Page } from 'playwright-core';

/** Small letters, in pixels: a target that is large enough with these is so with every font. */
const SMALL = 8;
const USUAL = 16;

/**
 * Returns the controls of a page whose targets are smaller than 24 pixels in either direction where letters are small, shadow
 * roots included: one line each. A link within a sentence has the height of its line; of a box with a label the label is the
 * target, too.
 */
export async function findSmallTargets(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  const setSize = (size: number) => session.send('Page.setFontSizes', { fontSizes: { standard: size, fixed: size } });
  await setSize(SMALL);
  await page.evaluate(async () => {
    for (let frame = 0; frame < 2; frame += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
  });
  const found = await smallTargetsOf(page);
  await setSize(USUAL);
  await session.detach();
  return found.map((target) => `small letters: ${target}`);
}

function smallTargetsOf(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const CONTROLS =
      'button, a[href], input, select, textarea, summary, [role=button], [role=link], [role=slider], [role=tab]';
    const LEAST = 23.5;
    const elementsIn = (root: Document | ShadowRoot): Element[] =>
      [...root.querySelectorAll('*')].flatMap((element) => [
        element,
        ...(element.shadowRoot ? elementsIn(element.shadowRoot) : []),
      ]);
    const isTarget = (element: Element) =>
      element.matches(CONTROLS) &&
      element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
      !element.matches('.visually-hidden, [type=file], [inert] *') &&
      !(element.tagName === 'A' && getComputedStyle(element).display === 'inline');
    const sizeOf = (element: Element) => {
      const labels = element instanceof HTMLInputElement ? [...(element.labels ?? [])] : [];
      const boxes = [element, ...labels].map((each) => each.getBoundingClientRect());
      return [Math.max(...boxes.map(({ width }) => width)), Math.max(...boxes.map(({ height }) => height))] as const;
    };
    return elementsIn(document)
      .filter(isTarget)
      .flatMap((element) => {
        const [width, height] = sizeOf(element);
        // One pixel: hidden from sight, and shown when it has the focus.
        if (Math.min(width, height) >= LEAST || Math.max(width, height) <= 1) return [];
        const name =
          element.getAttribute('aria-label') ?? element.textContent?.trim().replace(/\s+/g, ' ').slice(0, 40);
        return [
          `${element.tagName.toLowerCase()}.${element.className} "${name}": ${width.toFixed(1)} x ${height.toFixed(1)}`,
        ];
      });
  });
}
