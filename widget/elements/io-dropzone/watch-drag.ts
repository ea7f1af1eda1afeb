/** Callbacks of drags of files and of pastes, relative to one area. */
export interface DragListener {
  /** Called if the place of the drag changes: `page` anywhere over the page, `area` over the area, null after the end. */
  onChange(where: 'page' | 'area' | null): void;
  onDrop(data: DataTransfer): void;
  /** Called for each paste in the page. `target` is the innermost element that is known, `isInside` true if it is in the area. */
  onPaste(event: ClipboardEvent, target: EventTarget | undefined, isInside: boolean): void;
  /** False if drags are ignored. */
  isOpen(): boolean;
}

/** Time without `dragover` after which a drag has left, in milliseconds. Browsers send it every 50 to 350. */
const SILENCE_MS = 1000;

/**
 * Watches pastes, and drags of files over the whole document, so that the area can react before they reach it. Only what is told now
 * counts: an element that is removed below the pointer never reports that the drag has left it. Returns a function that
 * stops watching.
 */
export function watchDrag(area: HTMLElement, listener: DragListener): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let shown: 'page' | 'area' | null = null;
  /** Element that the drag has entered last. A drag enters the next element before it leaves this one. */
  let entered: EventTarget | undefined;
  /** The event that went through the area last, and its target: the document sees neither below a closed shadow root. */
  let inner: Event | undefined;
  let target: EventTarget | undefined;
  const note = (event: Event): void => {
    inner = event;
    target = event.composedPath()[0];
  };
  const targetOf = (event: Event) => (event === inner ? target : event.composedPath()[0]);

  const show = (where: 'page' | 'area' | null): void => {
    clearTimeout(timer);
    if (where) timer = setTimeout(() => show(null), SILENCE_MS);
    if (where === shown) return;
    shown = where;
    listener.onChange(where);
  };
  const carriesFiles = (event: DragEvent): boolean =>
    listener.isOpen() && (event.dataTransfer?.types.includes('Files') ?? false);
  const follow = (event: DragEvent): void => {
    if (carriesFiles(event)) show(event === inner ? 'area' : 'page');
  };

  const events: { [name: string]: (event: never) => void } = {
    dragenter(event: DragEvent) {
      entered = targetOf(event);
      follow(event);
    },
    dragleave(event: DragEvent) {
      // Out of the window.
      if (targetOf(event) === entered) show(null);
    },
    dragover(event: DragEvent) {
      follow(event);
      if (!carriesFiles(event) || event !== inner || !event.dataTransfer) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = 'copy';
    },
    drop(event: DragEvent) {
      const data = event.dataTransfer;
      if (data && carriesFiles(event) && event === inner && !event.defaultPrevented) {
        event.preventDefault();
        listener.onDrop(data);
      }
      show(null);
    },
    dragend: () => show(null),
    paste: (event: ClipboardEvent) => listener.onPaste(event, targetOf(event), event === inner),
  };
  const each = (add: 'addEventListener' | 'removeEventListener'): void => {
    for (const [name, handle] of Object.entries(events)) {
      area[add](name, note);
      document[add](name, handle as EventListener);
    }
  };
  each('addEventListener');
  return () => {
    each('removeEventListener');
    show(null);
  };
}
