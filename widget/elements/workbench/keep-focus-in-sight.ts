/** Room between what has the focus and the bar, in pixels. */
const GAP = 16;

/**
 * Scrolls what has just got the focus out from under the bar at the lower edge. Browsers scroll only what is outside of
 * their window, and take no notice of what lies over it (WCAG 2.2, 2.4.11).
 */
export function keepInSight(root: ShadowRoot, target: HTMLElement): void {
  // After the browser has scrolled by itself.
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
    // The last rows, and what is in no list, cannot be scrolled further: the page can.
    const left = hidden();
    if (left > 0) globalThis.scrollBy({ top: left, behavior: 'instant' });
  });
}
