import type { JobEvent } from '#contract';
import type { StoredEvent } from '../db/index.ts';

/** An event with its number in the job's stream. Numbers increase; they may have gaps after an interruption. */
export type NumberedEvent = JobEvent & { n: number };

/** Creates the in-memory log of a running job's events: one writer, any number of readers, each at its own pace. */
export function createEventLog(earlier: NumberedEvent[] = []) {
  const events = [...earlier];
  const waiting = new Set<() => void>();
  let closed = false;

  function wakeReaders(): void {
    const readers = [...waiting];
    waiting.clear();
    for (const wake of readers) wake();
  }

  /** Resolves at the next event, at the end of the log, or when the signal aborts. */
  function nextChange(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        signal.removeEventListener('abort', wake);
        waiting.delete(wake);
        resolve();
      };
      signal.addEventListener('abort', wake, { once: true });
      waiting.add(wake);
    });
  }

  return {
    push(event: NumberedEvent): void {
      events.push(event);
      wakeReaders();
    },

    /** Ends every reader after its last event. */
    close(): void {
      closed = true;
      wakeReaders();
    },

    /** Yields events with a number above `after`, then live ones until the log is closed or the signal aborts. */
    async *read(after: number, signal: AbortSignal): AsyncGenerator<NumberedEvent> {
      let index = 0;
      while (!signal.aborted) {
        const event = events[index];
        if (event) {
          index += 1;
          // A reader whose `after` is above all numbers still gets the last event.
          if (event.n > after || event.event !== 'progress') yield event;
        } else if (closed) {
          return;
        } else {
          await nextChange(signal);
        }
      }
    },
  };
}

/** The events of a running job. */
export type EventLog = ReturnType<typeof createEventLog>;

/** Returns the stored events of a job in the order in which they were sent. */
export function eventsOf(records: { events: StoredEvent[] }[]): NumberedEvent[] {
  return records.flatMap((record) => record.events as NumberedEvent[]).sort((a, b) => a.n - b.n);
}
