import type { Item, Optimizer } from '../../state/index.ts';

/** A picture larger than this is not decoded for its thumbnail, in bytes and in pixels. */
const MAX_BYTES = 80_000_000;
const MAX_PIXELS = 100_000_000;
/** Decoders at work: one more than one keeps the longest gap of the main thread short (measured). */
const IN_FLIGHT = 2;
/** Thumbnails that keep their pixels; those of rows that were out of sight longest give them back. */
const KEPT = 160;
/** Formats that browsers do not decode: the row shows an icon until the server has a picture. */
const UNDECODABLE = /\.(heic|heif|tiff?)$/i;

/** Draws thumbnails of the rows in sight, two at a time. */
export interface ThumbQueue {
  /** Asks for an item's thumbnail on a canvas; `done` tells whether there is one. */
  show(item: Item, canvas: HTMLCanvasElement, done: (drawn: boolean) => void): void;
  /** The row went out of sight: what has not begun does not begin. */
  hide(id: string): void;
  /** Gives an item's pixels back, e.g. since its row is gone. */
  drop(id: string): void;
}

interface Task {
  item: Item;
  canvas: HTMLCanvasElement;
  done: (drawn: boolean) => void;
  abort: AbortController;
}

/** Creates the queue. `optimizer` gives the server's pictures of items without a file. */
export function createThumbQueue({ optimizer }: { optimizer: Optimizer }): ThumbQueue {
  const waiting = new Map<string, Task>();
  const running = new Map<string, Task>();
  /** Oldest first; of rows in sight and out of it. */
  const drawn = new Map<string, Task>();

  function next(): void {
    for (const [id, task] of waiting) {
      if (running.size >= IN_FLIGHT) return;
      waiting.delete(id);
      running.set(id, task);
      void run(id, task).finally(() => {
        if (running.get(id) === task) running.delete(id);
        next();
      });
    }
  }

  async function run(id: string, task: Task): Promise<void> {
    const { signal } = task.abort;
    let shown = false;
    try {
      const bitmap = await decode(optimizer, task.item, task.canvas, signal);
      if (bitmap && signal.aborted) bitmap.close();
      else if (bitmap) {
        paint(task.canvas, bitmap);
        shown = true;
        drawn.delete(id);
        drawn.set(id, task);
        release();
      }
    } catch {
      // No decoder for it, or the server has no picture: the icon stays.
    }
    if (!signal.aborted) task.done(shown);
  }

  function release(): void {
    for (const [id, task] of drawn) {
      if (drawn.size <= KEPT) return;
      drawn.delete(id);
      clearCanvas(task);
    }
  }

  return {
    show(item, canvas, done) {
      const kept = drawn.get(item.id);
      if (kept?.canvas === canvas) {
        drawn.delete(item.id);
        drawn.set(item.id, kept);
        return;
      }
      if (running.get(item.id)?.canvas === canvas) return;
      waiting.set(item.id, { item, canvas, done, abort: new AbortController() });
      next();
    },
    hide(id) {
      waiting.delete(id);
    },
    drop(id) {
      waiting.delete(id);
      running.get(id)?.abort.abort();
      running.delete(id);
      const task = drawn.get(id);
      drawn.delete(id);
      if (task) clearCanvas(task);
    },
  };
}

async function decode(
  optimizer: Optimizer,
  item: Item,
  canvas: HTMLCanvasElement,
  signal: AbortSignal,
): Promise<ImageBitmap | null> {
  // A canvas out of sight has no size yet.
  const edge = Math.ceil((canvas.clientWidth || 88) * Math.min(2, globalThis.devicePixelRatio || 1));
  const { width, height } = item.image ?? { width: 3, height: 2 };
  // The picture covers a square: a landscape needs its height, a panorama only so much of it.
  const resizeWidth = Math.round(edge * Math.min(3, Math.max(1, width / height)));
  const options: ImageBitmapOptions = { resizeWidth, resizeQuality: 'medium' };
  const { file } = item;
  const decodable =
    file && file.size <= MAX_BYTES && width * height <= MAX_PIXELS && !UNDECODABLE.test(item.name) ? file : null;
  if (decodable) {
    const bitmap = await createImageBitmap(decodable, options).catch(() => null);
    if (bitmap || signal.aborted) return bitmap;
  }
  if (!item.imageId) return null;
  const preview = await optimizer.preview(item.id, resizeWidth, signal);
  return createImageBitmap(preview, options);
}

function paint(canvas: HTMLCanvasElement, bitmap: ImageBitmap): void {
  canvas.width = bitmap.width;
  canvas.height = bitmap.height;
  // Hands the pixels over without a copy, and closes the bitmap.
  canvas.getContext('bitmaprenderer')?.transferFromImageBitmap(bitmap);
}

function clearCanvas({ canvas, done }: Task): void {
  canvas.getContext('bitmaprenderer')?.transferFromImageBitmap(null);
  canvas.width = 1;
  canvas.height = 1;
  done(false);
}
