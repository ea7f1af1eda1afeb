import type { Locator } from 'playwright-core';
import { plainImages } from '../../support/small-images.ts';
import type { WidgetTab } from '../../support/widget-rig.ts';

/** Names the focused control, across shadow roots: `io-row#1 alt`, `button Add images`; empty for the page. */
export function focused(tab: WidgetTab): Promise<string> {
  return tab.page.evaluate(() => {
    let active = document.activeElement as HTMLElement | null;
    let row = '';
    while (active?.shadowRoot?.activeElement) {
      if (active.localName === 'io-row') row = `#${[...rowsOf(active)].indexOf(active)} `;
      active = active.shadowRoot.activeElement as HTMLElement;
    }
    if (!active || active === document.body) return '';
    const control = active.dataset.control ?? active.getAttribute('aria-label') ?? active.textContent?.trim() ?? '';
    return `${row}${control.replace(/\s+/g, ' ')}`;

    function rowsOf(element: HTMLElement): NodeListOf<Element> {
      return (element.getRootNode() as ShadowRoot).querySelectorAll('io-row');
    }
  });
}

/** Counts the rows in the page. */
export const rowCount = (tab: WidgetTab): Promise<number> => tab.widget.locator('io-row').count();

/** Adds small pictures without waiting for their uploads. */
export async function addMany(tab: WidgetTab, count: number): Promise<void> {
  const [image] = await plainImages(1);
  await tab.widget.evaluate(
    async (element, { count, bytes }) => {
      const body = new Uint8Array(bytes);
      const files = Array.from({ length: count }, (_, index) => {
        return new File([body], `picture-${index}.png`, { type: 'image/png', lastModified: index });
      });
      await (element as unknown as { addFiles(files: File[]): Promise<unknown> }).addFiles(files);
    },
    { count, bytes: [...(image?.bytes ?? [])] },
  );
}

/**
 * Dispatches a drag event of files over an element. After `dragenter`, `dragover` follows every 100 ms, as browsers send it, until the
 * drag enters another element, leaves this one or ends.
 */
export function drag(target: Locator, type: 'dragenter' | 'dragleave' | 'drop', names: string[] = []) {
  return target.evaluate(
    (element, { type, names }) => {
      const dispatch = (name: string) => {
        const dataTransfer = new DataTransfer();
        for (const file of names.length ? names : ['x.png']) dataTransfer.items.add(new File(['x'], file));
        element.dispatchEvent(new DragEvent(name, { bubbles: true, composed: true, cancelable: true, dataTransfer }));
      };
      const page = window as unknown as { drag?: { over: Element; timer: ReturnType<typeof setInterval> } };
      if (type !== 'dragleave' || page.drag?.over === element) clearInterval(page.drag?.timer);
      dispatch(type);
      if (type === 'dragenter') page.drag = { over: element, timer: setInterval(dispatch, 100, 'dragover') };
    },
    { type, names },
  );
}
