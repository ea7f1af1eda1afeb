import type { Rest } from '../rest.ts';
import { RestError } from '../rest.ts';
import type { LibraryImage, Strings } from '../site-config.ts';

/** Milliseconds between two requests for the state of images that wait or are in progress. */
const INTERVAL = 1000;

/** Milliseconds for which new images are collected for one request. */
const TOGETHER = 20;

/** Most images of one request. */
const MOST = 100;

/** State of an image, or the reason why it is unknown. */
export type Known = { image: LibraryImage } | { problem: string } | null;

/** States of the library's images, read when a panel shows them and updated while they wait. */
export interface ImageStates {
  /** Calls `listener` with each change of an image until the returned function is called. */
  watch(id: number, listener: (known: Known) => void): () => void;
  /** Stores the state that a route returned. */
  put(image: LibraryImage): void;
}

/** Creates the states of images. */
export function createImageStates(rest: Rest, strings: Strings): ImageStates {
  const known = new Map<number, Known>();
  const listeners = new Map<number, Set<(known: Known) => void>>();
  let isWorking = false;
  let isTicking = false;

  const set = (id: number, state: Known) => {
    known.set(id, state);
    for (const listener of listeners.get(id) ?? []) listener(state);
  };
  /** Reads images in one request. The list has no deleted images and none that the user may not change. */
  const read = async (ids: number[]) => {
    try {
      const query = { ids, per_page: MOST };
      const { items } = await rest.call<{ items: LibraryImage[] }>('GET', '/attachments', { query });
      for (const id of ids) {
        const image = items.find((item) => item.id === id);
        set(id, image ? { image } : { problem: strings.notYours ?? '' });
      }
    } catch (error) {
      if (!(error instanceof RestError)) throw error;
      // Known states stay, because the next request may succeed.
      for (const id of ids) if (!known.get(id)) set(id, { problem: error.message });
    }
  };
  /** Images to be read together. */
  const wanted = new Set<number>();
  const readSoon = (id: number) => {
    if (wanted.add(id).size > 1) return;
    setTimeout(() => {
      const ids = [...wanted];
      wanted.clear();
      for (let start = 0; start < ids.length; start += MOST) void read(ids.slice(start, start + MOST));
    }, TOGETHER);
  };
  const isPending = (id: number) => {
    const state = known.get(id);
    return state && 'image' in state && ['queued', 'working'].includes(state.image.picture);
  };
  /** Works on the queue for some seconds, so that an upload does not wait for WP-Cron. */
  const work = async () => {
    if (isWorking) return;
    isWorking = true;
    await rest.call('POST', '/run/work', { json: {} }).catch(() => {});
    isWorking = false;
  };
  const refresh = async () => {
    const pending = [...listeners.keys()].filter(isPending).slice(0, MOST);
    if (pending.length > 0 && !document.hidden) {
      void work();
      await read(pending);
    }
    isTicking = false;
    tick();
  };
  const tick = () => {
    if (isTicking || listeners.size === 0) return;
    isTicking = true;
    setTimeout(() => void refresh(), INTERVAL);
  };
  return {
    watch(id, listener) {
      const own = listeners.get(id) ?? new Set();
      listeners.set(id, own.add(listener));
      listener(known.get(id) ?? null);
      readSoon(id);
      tick();
      return () => {
        own.delete(listener);
        if (own.size === 0 && listeners.get(id) === own) listeners.delete(id);
      };
    },
    put: (image) => set(image.id, { image }),
  };
}
