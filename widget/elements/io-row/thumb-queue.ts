import type { Item, Optimizer } from '../../state/index.ts';
import { decodeSmall } from './decode-small.ts';

/** Largest file decoded for a thumbnail, in bytes and in pixels. */
const MAX_BYTES = 80_000_000;
const MAX_PIXELS = 100_000_000;
/** Concurrent decoders. Two keep the main thread free (measured). */
const IN_FLIGHT = 2;
/** Formats browsers do not decode: the row shows an icon until the service has a preview. */
const UNDECODABLE = /\.(hei[cf]|hif|tiff?)$/i;

/** Makes thumbnails of the rows in sight, two at a time. The receiver keeps them. */
export interface ThumbQueue {
  /** Requests an item's thumbnail in the size of `place`. Calls `done` with it, or with null if there can be none. */
  show(item: Item, place: Element, done: (picture: HTMLCanvasElement | null) => void): void;
  /** Withdraws a request that has not started. */
  hide(id: string): void;
  /** Forgets an item. */
  drop(id: string): void;
}

interface Task {
  item: Item;
  place: Element;
  done: (picture: HTMLCanvasElement | null) => void;
  abort: AbortController;
}

/** Creates the queue. `optimizer` fetches previews of items without a file. */
export function createThumbQueue({ optimizer }: { optimizer: Optimizer }): ThumbQueue {
  const waiting = new Map<string, Task>();
  const running = new Map<string, Task>();

  function next(): void {
    for (const [id, task] of waiting) {
      if (running.size >= IN_FLIGHT) return;
      waiting.delete(id);
      running.set(id, task);
      void run(task).finally(() => {
        if (running.get(id) === task) running.delete(id);
        next();
      });
    }
  }

  async function run({ item, place, done, abort: { signal } }: Task): Promise<void> {
    // The icon stays if nothing can decode the file and the service has no preview.
    const bitmap = await decode(optimizer, item, place, signal).catch(() => null);
    if (signal.aborted) bitmap?.close();
    else done(bitmap && paint(bitmap));
  }

  return {
    show(item, place, done) {
      if (running.has(item.id)) return;
      waiting.set(item.id, { item, place, done, abort: new AbortController() });
      next();
    },
    hide(id) {
      waiting.delete(id);
    },
    drop(id) {
      waiting.delete(id);
      running.get(id)?.abort.abort();
      running.delete(id);
    },
  };
}

async function decode(
  optimizer: Optimizer,
  item: Item,
  place: Element,
  signal: AbortSignal,
): Promise<ImageBitmap | null> {
  // Reading a size outside of a frame would force a layout. Hidden pages have no frames.
  await new Promise(requestAnimationFrame);
  if (signal.aborted) return null;
  const edge = Math.ceil((place.clientWidth || 88) * Math.min(2, globalThis.devicePixelRatio || 1));
  // The picture covers a square, so the shorter edge decides, up to a limit for panoramas.
  const widthFor = (width = 3, height = 2) => Math.round(edge * Math.min(3, Math.max(1, width / height)));
  const resizeQuality = 'medium';
  const { image, file } = item;
  const pixels = image ? image.width * image.height : 0;
  if (file && file.size <= MAX_BYTES && pixels <= MAX_PIXELS && !UNDECODABLE.test(item.name)) {
    const small = await decodeSmall(file, edge);
    const resizeWidth = widthFor(small?.displayWidth ?? image?.width, small?.displayHeight ?? image?.height);
    const bitmap = await createImageBitmap(small ?? file, { resizeWidth, resizeQuality }).catch(() => null);
    small?.close();
    if (bitmap || signal.aborted) return bitmap;
  }
  if (!item.imageId) return null;
  const resizeWidth = widthFor(image?.width, image?.height);
  const preview = await optimizer.preview(item.id, resizeWidth, signal);
  return createImageBitmap(preview, { resizeWidth, resizeQuality });
}

/** Draws a bitmap to a new canvas, since a reused one keeps memory, and closes it. */
export function paint(bitmap: ImageBitmap): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  canvas.setAttribute('aria-hidden', 'true');
  canvas.width = bitmap.width;
  canvas.height = bitmap.height;
  // A transferred bitmap would lose its EXIF orientation in Chromium, a drawn one does not.
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0);
  bitmap.close();
  return canvas;
}
