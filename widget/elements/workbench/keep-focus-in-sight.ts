/** Distance between the focused control and the bar, in pixels. */
const GAP = 16;

/**
 * Scrolls a focused control out from under the bar at the lower edge (WCAG 2.2, 2.4.11). Browsers scroll only controls
 * outside of their window and ignore elements that cover them.
 */
export function keepInSight(root: ShadowRoot, target: HTMLElement): void {
  // The browser scrolls first.
  requestAnimationFrame(() => {
    const bar = root.querySelector('.bar');
    if (!bar || bar.contains(target) || target.closest('dialog') || !target.isConnected) return;
    const hidden = () => {
      const { top, bottom } = bar.getBoundingClientRect();
      const edge = target.getBoundingClientRect();
      return edge.top < bottom && edge.bottom + GAP > top ? edge.bottom + GAP - top : 0;
    };
    const distance = hidden();
    const row = (target.getRootNode() as ShadowRoot).host;
    if (distance > 0) row?.closest('ul')?.scrollBy({ top: distance, behavior: 'instant' });
    // The last rows and controls outside of the list need a scroll of the page.
    const left = hidden();
    if (left > 0) globalThis.scrollBy({ top: left, behavior: 'instant' });
  });
}
