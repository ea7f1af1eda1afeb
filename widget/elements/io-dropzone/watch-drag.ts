/** Callbacks of a drag of files, relative to one area. */
export interface DragListener {
  /** Called if the place of the drag changes: `page` anywhere over the page, `area` over the area, null after the end. */
  onChange(where: 'page' | 'area' | null): void;
  onDrop(data: DataTransfer): void;
  /** False if drags are ignored. */
  isOpen(): boolean;
}

/**
 * Watches drags of files over the whole document, so that the area can react before they reach it. Counts enter and leave
 * events, since every crossed element sends them. Returns a function that stops watching.
 */
export function watchDrag(area: HTMLElement, listener: DragListener): () => void {
  let depth = 0;
  let areaDepth = 0;
  let shown: 'page' | 'area' | null = null;

  const show = (): void => {
    const where = areaDepth > 0 ? 'area' : depth > 0 ? 'page' : null;
    if (where === shown) return;
    shown = where;
    listener.onChange(where);
  };
  const end = (): void => {
    depth = 0;
    areaDepth = 0;
    show();
  };
  const carriesFiles = (event: DragEvent): boolean =>
    listener.isOpen() && (event.dataTransfer?.types.includes('Files') ?? false);
  const isInside = (event: DragEvent): boolean => event.composedPath().includes(area);

  const events: { [name: string]: (event: DragEvent) => void } = {
    dragenter(event) {
      if (!carriesFiles(event)) return;
      depth += 1;
      if (isInside(event)) areaDepth += 1;
      show();
    },
    dragleave(event) {
      if (!carriesFiles(event)) return;
      depth = Math.max(0, depth - 1);
      if (isInside(event)) areaDepth = Math.max(0, areaDepth - 1);
      show();
    },
    dragover(event) {
      if (!carriesFiles(event) || !isInside(event) || !event.dataTransfer) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = 'copy';
    },
    drop(event) {
      const data = event.dataTransfer;
      if (data && carriesFiles(event) && isInside(event) && !event.defaultPrevented) {
        event.preventDefault();
        listener.onDrop(data);
      }
      end();
    },
    dragend: end,
  };
  for (const [name, handle] of Object.entries(events)) document.addEventListener(name, handle as EventListener);
  return () => {
    for (const [name, handle] of Object.entries(events)) document.removeEventListener(name, handle as EventListener);
    end();
  };
}
