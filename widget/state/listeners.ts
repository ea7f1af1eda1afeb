/** Stops a subscription. */
export type Unsubscribe = () => void;

/** A set of listeners. */
export interface Listeners<Args extends unknown[]> {
  add(listener: (...args: Args) => void): Unsubscribe;
  call(...args: Args): void;
}

/** Creates a set of listeners. An error of one does not stop the others. */
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
