/** Longest wait of a job that needs a listener for its first one, in milliseconds. */
const ARRIVAL_MS = 300;
/** The same after the job was taken over from another process, in milliseconds: clients return after `retry`. */
const RETURN_MS = 15_000;
/** Time in which a listener on another server shows itself again, in milliseconds: some polls of that server. */
const ELSEWHERE_MS = 2500;

interface ListeningDeps {
  /** Time without a listener after which the job stops, in milliseconds; null: never. */
  stopsAfterMs: number | null;
  isTakenOver: boolean;
  /** Counter of the job that listeners on other servers increase. */
  listened: number;
  readListened: () => Promise<number>;
  stop: () => void;
}

/** Tracks the listeners of a job, here and on other servers, and stops the job when there are none. */
export function createListening(deps: ListeningDeps) {
  const { stopsAfterMs, isTakenOver, readListened, stop } = deps;
  let { listened } = deps;
  let here = 0;
  let elsewhereAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  const isElsewhere = () => performance.now() - elsewhereAt < ELSEWHERE_MS;
  const isHeard = () => here > 0 || isElsewhere();

  /** Takes the counter as it is in the database. */
  function seen(count: number): void {
    if (count === listened) return;
    listened = count;
    elsewhereAt = performance.now();
  }

  async function stopIfUnheard(): Promise<void> {
    // The listener may be newer than the last read of the counter. Without an answer it is unknown.
    seen(await readListened().catch(() => listened));
    if (closed || here > 0) return;
    if (isElsewhere()) wait(ELSEWHERE_MS);
    else stop();
  }

  function wait(ms: number): void {
    clearTimeout(timer);
    if (stopsAfterMs === null || closed || here > 0) return;
    if (ms > 0) timer = setTimeout(() => void stopIfUnheard(), ms).unref();
    else void stopIfUnheard();
  }

  // The client may disconnect before it listens, or never return to a job that was taken over.
  wait(Math.max(stopsAfterMs ?? 0, isTakenOver ? RETURN_MS : ARRIVAL_MS));
  return {
    /** False while a job that stops without a listener has none. */
    isHeard: () => stopsAfterMs === null || isHeard(),

    /** Counts a listener on this server until the returned function is called. */
    join(): () => void {
      here += 1;
      clearTimeout(timer);
      return () => {
        here -= 1;
        wait(stopsAfterMs ?? 0);
      };
    },

    seen,

    close(): void {
      closed = true;
      clearTimeout(timer);
    },
  };
}

/** Listeners of one job. */
export type Listening = ReturnType<typeof createListening>;
