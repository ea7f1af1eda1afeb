/** Functions that want to know of something. */
export interface Listeners<Args extends unknown[]> {
  /** Adds one; the answer takes it away. */
  add(listener: (...args: Args) => void): () => void;
  call(...args: Args): void;
}

/** A set of listeners. One that throws keeps none of the others from being called. */
export function createListeners<Args extends unknown[]>(): Listeners<Args> {
  const all = new Set<(...args: Args) => void>();
  return {
    add(listener) {
      all.add(listener);
      return () => {
        all.delete(listener);
      };
    },
    call(...args) {
      for (const listener of [...all]) {
        try {
          listener(...args);
        } catch (error) {
          // As in the DOM, an error of a listener is reported and does not stop the others.
          queueMicrotask(() => {
            throw error;
          });
        }
      }
    },
  };
}
