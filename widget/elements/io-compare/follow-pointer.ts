/** Start of a drag over an enlarged image. */
interface Grip {
  x: number;
  y: number;
  left: number;
  top: number;
}

/** Callbacks of pointer gestures on the stage. */
export interface PointerActions {
  /** False if there is nothing to move. */
  ready(): boolean;
  /** True if the image is enlarged: a drag then moves the image, and only the handle moves the divider. */
  zoomed(): boolean;
  /** Called with the pointer position the divider should move to. */
  onMove(clientX: number): void;
}

/** Creates the handlers of the handle and the scroller. They drag the divider or the enlarged image; touch scrolls natively. */
export function followPointer({ ready, zoomed, onMove }: PointerActions) {
  let grip: Grip | null = null;
  return {
    press(event: PointerEvent): void {
      const target = event.currentTarget as HTMLElement;
      const pan = zoomed() && target.classList.contains('scroller');
      if (event.button !== 0 || !ready() || (pan && event.pointerType !== 'mouse')) return;
      target.setPointerCapture(event.pointerId);
      if (pan) {
        grip = { x: event.clientX, y: event.clientY, left: target.scrollLeft, top: target.scrollTop };
        target.classList.add('panning');
      } else onMove(event.clientX);
    },
    drag(event: PointerEvent): void {
      const target = event.currentTarget as HTMLElement;
      if (!target.hasPointerCapture(event.pointerId)) return;
      if (grip) {
        target.scrollLeft = grip.left - (event.clientX - grip.x);
        target.scrollTop = grip.top - (event.clientY - grip.y);
      } else onMove(event.clientX);
    },
    release(event: PointerEvent): void {
      grip = null;
      (event.currentTarget as HTMLElement).classList.remove('panning');
    },
  };
}
