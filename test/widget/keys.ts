import type { Page } from 'playwright-core';
import { fixture, type WidgetTab } from '../support/widget-rig.ts';

/** Most steps; a control not reached within them is unreachable. */
const MOST_STEPS = 120;

/** Paths of photographs by their names. */
export const fixtures = (names: string[]): string[] => names.map((name) => fixture(`small/${name}`));

/** Returns the accessible name of the focused control, or the label of a field. */
export function focusedName(page: Page): Promise<string> {
  return page.evaluate(() => {
    let active = document.activeElement;
    while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
    if (!active || active === document.body) return '';
    const words = (element: Element): string =>
      [...element.childNodes]
        .map((node) =>
          node instanceof Text
            ? node.data
            : node instanceof HTMLSlotElement
              ? ''
              : node instanceof Element
                ? words(node)
                : '',
        )
        .join('');
    const label = (active as HTMLInputElement).labels?.[0];
    const name = active.getAttribute('aria-label') ?? words(label ?? active);
    return name.replace(/\s+/g, ' ').trim();
  });
}

/**
 * Presses Tab until the control of this name has the focus. A field's name may go on, with where its text came from.
 * @returns how often it was pressed
 * @throws Error that lists what was passed, when it cannot be reached
 */
export async function tabTo({ page }: Pick<WidgetTab, 'page'>, name: string, { back = false } = {}): Promise<number> {
  const passed: string[] = [];
  for (let steps = 0; steps <= MOST_STEPS; steps += 1) {
    const focused = await focusedName(page);
    if (focused.startsWith(name)) return steps;
    passed.push(focused);
    await page.keyboard.press(back ? 'Shift+Tab' : 'Tab');
  }
  throw new Error(`"${name}" cannot be reached with Tab. Passed: ${[...new Set(passed)].join(' | ')}`);
}
