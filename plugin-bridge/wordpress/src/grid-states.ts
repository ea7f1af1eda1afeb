/** Tiles of the media grid, and of the media modal. */
const TILE = '.attachments .attachment[data-id]';

/** Marks the tiles that show no state yet, by the data with which WordPress fills the details of an attachment. */
export function markTiles(): void {
  for (const tile of document.querySelectorAll<HTMLElement>(`${TILE}:not([data-imagewright-state])`)) {
    const compat = window.wp?.media?.attachment?.(Number(tile.dataset.id)).get('compat') as
      | { item?: string }
      | undefined;
    if (compat?.item) mark(tile, compat.item);
  }
}

/** Marks the tile of an attachment with the state in the HTML of its status. */
export function markTile(id: number, html: string): void {
  const tile = document.querySelector<HTMLElement>(`${TILE}[data-id="${id}"]`);
  if (tile) mark(tile, html);
}

/** Returns the attachments whose tiles show that they wait or are in progress. */
export function pendingTiles(): number[] {
  const tiles = document.querySelectorAll<HTMLElement>(
    `${TILE}:is([data-imagewright-state="queued"], [data-imagewright-state="working"])`,
  );
  return [...tiles].map(({ dataset }) => Number(dataset.id));
}

function mark(tile: HTMLElement, html: string): void {
  const status = new DOMParser().parseFromString(html, 'text/html').querySelector<HTMLElement>('[data-status]');
  if (!status) return;
  tile.dataset.imagewrightState = status.dataset.status;
  tile.title = status.querySelector('.imagewright-status-text')?.textContent ?? '';
}
