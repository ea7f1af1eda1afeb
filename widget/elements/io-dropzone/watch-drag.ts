/** Callbacks of a drag of files, relative to one area. */
export interface DragListener {
  /** Called if the place of the drag changes: `page` anywhere over the page, `area` over the area, null after the end. */
  onChange(where: 'page' | 'area' | null): void;
  onDrop(data: DataTransfer): void;
  /** False if drags are ignored. */
  isOpen(): boolean;
}

/** Time without `dragover` after which a drag has left, in milliseconds. Browsers send it every 50 to 350. */
const SILENCE_MS = 1000;

/**
 * Watches drags of files over the whole document, so that the area can react before they reach it. Only what is told now
 * counts: an element that is removed below the pointer never reports that the drag has left it. Returns a function that
 * stops watching.
 */
export function watchDrag(area: HTMLElement, listener: DragListener): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let shown: 'page' | 'area' | null = null;
  /** Element that the drag has entered last. A drag enters the next element before it leaves this one. */
  let entered: EventTarget | undefined;

  const show = (where: 'page' | 'area' | null): void => {
    clearTimeout(timer);
    if (where) timer = setTimeout(() => show(null), SILENCE_MS);
    if (where === shown) return;
    shown = where;
    listener.onChange(where);
  };
  const carriesFiles = (event: DragEvent): boolean =>
    listener.isOpen() && (event.dataTransfer?.types.includes('Files') ?? false);
  const isInside = (event: DragEvent): boolean => event.composedPath().includes(area);
  const follow = (event: DragEvent): void => {
    if (carriesFiles(event)) show(isInside(event) ? 'area' : 'page');
  };

  const events: { [name: string]: (event: DragEvent) => void } = {
    dragenter(event) {
      entered = event.composedPath()[0];
      follow(event);
    },
    dragleave(event) {
      // Out of the window.
      if (event.composedPath()[0] === entered) show(null);
    },
    dragover(event) {
      follow(event);
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
      show(null);
    },
    dragend: () => show(null),
  };
  for (const [name, handle] of Object.entries(events)) document.addEventListener(name, handle as EventListener);
  return () => {
    for (const [name, handle] of Object.entries(events)) document.removeEventListener(name, handle as EventListener);
    show(null);
  };
}
