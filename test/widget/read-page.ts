import type { Locator } from 'playwright-core';

/** Locates the rows of the list. */
export const rows = (widget: Locator): Locator => widget.locator('io-row');

/** Locates a field of a row. */
export const field = (row: Locator, name: 'filename' | 'title' | 'alt' | 'decorative'): Locator =>
  row.locator(`[data-control='${name}']`);

/** Reads the size of a canvas and whether it has more than one colour; null without a canvas. */
export async function canvasStats(canvas: Locator): Promise<{ width: number; height: number; varied: boolean } | null> {
  if ((await canvas.count()) === 0) return null;
  return canvas.evaluate((element) => {
    const source = element as HTMLCanvasElement;
    // Pixels cannot be read from a bitmap canvas, so it is drawn to another one.
    const copy = document.createElement('canvas');
    copy.width = 16;
    copy.height = 16;
    const context = copy.getContext('2d', { willReadFrequently: true });
    if (!context || source.width < 2) return { width: source.width, height: source.height, varied: false };
    context.drawImage(source, 0, 0, 16, 16);
    const { data } = context.getImageData(0, 0, 16, 16);
    const colours = new Set<string>();
    for (let at = 0; at < data.length; at += 4)
      colours.add(`${data[at]},${data[at + 1]},${data[at + 2]},${data[at + 3]}`);
    return { width: source.width, height: source.height, varied: colours.size > 8 };
  });
}

/** Reads the text of an element, shadow roots included, with collapsed white space. */
export function textOf(element: Locator): Promise<string> {
  return element.evaluate((start) => {
    const read = (node: Node): string => {
      if (node instanceof Text) return node.data;
      if (!(node instanceof Element)) return '';
      if (['STYLE', 'SCRIPT'].includes(node.tagName)) return '';
      const nodes =
        node instanceof HTMLSlotElement ? node.assignedNodes({ flatten: true }) : node.shadowRoot?.childNodes;
      return [...(nodes?.length ? nodes : node.childNodes)].map(read).join(' ');
    };
    return read(start).replace(/\s+/g, ' ').trim();
  });
}
