/** Semaphore: admits a fixed number of callers at once, the others in order of arrival. */
export interface Gate {
  /** Resolves with the function that releases the place. Rejects with the signal's reason if that aborts first. */
  enter(signal: AbortSignal): Promise<() => void>;
}

/** Creates a semaphore with `places` places. */
export function createGate(places: number): Gate {
  const waiting: (() => void)[] = [];
  let free = places;

  function leaveOnce(): () => void {
    let left = false;
    return () => {
      if (left) return;
      left = true;
      free += 1;
      waiting.shift()?.();
    };
  }

  return {
    async enter(signal) {
      signal.throwIfAborted();
      if (free > 0) {
        free -= 1;
        return leaveOnce();
      }
      await new Promise<void>((resolve, reject) => {
        const come = () => {
          signal.removeEventListener('abort', giveUp);
          free -= 1;
          resolve();
        };
        const giveUp = () => {
          waiting.splice(waiting.indexOf(come), 1);
          reject(signal.reason);
        };
        signal.addEventListener('abort', giveUp, { once: true });
        waiting.push(come);
      });
      return leaveOnce();
    },
  };
}
