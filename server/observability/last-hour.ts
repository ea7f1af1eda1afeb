/** Looks that are kept, one a minute. */
const KEPT = 60;
const HOUR_MS = 3_600_000;

/** Requests and images since the start of the process, and what waits and runs now. */
interface LoadReading {
  all: number;
  refused: number;
  failed: number;
  images: number;
  waiting: number;
  busy: number;
}

/**
 * Remembers the last hour of this process in its memory: `look` is called once a minute. It knows nothing of other processes, and
 * forgets with this one. `now` is in milliseconds.
 */
export function createLastHour(read: () => Promise<LoadReading>, now: () => number = Date.now) {
  // Nothing has happened before the start.
  let looks = [{ at: now(), all: 0, refused: 0, failed: 0, images: 0, waiting: 0, busy: 0 }];
  return {
    async look(): Promise<void> {
      const reading = await read();
      const at = now();
      // A process that was suspended has fewer.
      looks = [...looks.filter((look) => look.at > at - HOUR_MS), { at, ...reading }].slice(-KEPT);
    },
    /** Returns the counts of the last hour, or since the start of the process, and the looks at the queue, oldest first. Times are ISO 8601. */
    async report() {
      const reading = await read();
      const [first = { at: now(), ...reading }] = looks;
      const since = (name: 'all' | 'refused' | 'failed' | 'images') => reading[name] - first[name];
      return {
        since: new Date(first.at).toISOString(),
        all: since('all'),
        refused: since('refused'),
        failed: since('failed'),
        images: since('images'),
        queue: looks.map(({ at, waiting, busy }) => ({ at: new Date(at).toISOString(), waiting, busy })),
      };
    },
  };
}
