/** Start of a drag over an enlarged image. */
interface Grip {
  x: number;
  y: number;
  left: number;
  top: number;
}

/** Callbacks of pointer gestures on the stage. */
export interface PointerActions {
  /** False while there is nothing to move. */
  ready(): boolean;
  /** True while the image is larger than the stage: then a drag moves the image, and only the handle the divider. */
  zoomed(): boolean;
  /** The divider is to be under the pointer. */
  onMove(clientX: number): void;
}

/** Handlers for the handle and the scroller: drags of the divider and of the enlarged image. Touch scrolls by itself. */
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
