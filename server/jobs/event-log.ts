import type { JobEvent } from '#contract';
import type { JobEventRecord } from '../db/index.ts';

/** An event with its number in the job's stream. Numbers increase; they may have gaps. */
export type NumberedEvent = JobEvent & { n: number };

/** Returns a stored event as it is sent. */
export function sentEvent({ n, event, data }: JobEventRecord): NumberedEvent {
  return { n, event, data } as NumberedEvent;
}

/** Creates the in-memory log of a job's events: any number of readers, each at its own pace. */
export function createEventLog() {
  const events: NumberedEvent[] = [];
  const waiting = new Set<() => void>();
  let closed = false;
  const last = () => events.at(-1)?.n ?? -1;

  const wakeReaders = (): void => {
    for (const wake of [...waiting]) wake();
  };

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
    /** True if nothing follows. */
    get closed(): boolean {
      return closed;
    },

    /** Number of the last event; -1 if there is none. */
    get last() {
      return last();
    },

    /** Images that have ended according to the last event. */
    get current(): number {
      return events.reduce(
        (most, event) => (event.event === 'progress' ? Math.max(most, event.data.current) : most),
        0,
      );
    },

    /** Ids of the images whose end is in the log. */
    endedImages: (): Set<string> =>
      new Set(progressOf(events).flatMap(({ step, imageId }) => (step === 'done' ? imageId : []))),

    /** Appends those events whose numbers are above the last one. */
    add(added: NumberedEvent[]): void {
      for (const event of added) if (event.n > last()) events.push(event);
      wakeReaders();
    },

    /** Ends every reader, after a last event if there is one. */
    close(event?: NumberedEvent): void {
      if (event && !closed) events.push(event);
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

function progressOf(events: NumberedEvent[]) {
  return events.flatMap((event) => (event.event === 'progress' ? event.data : []));
}

/** The events of a job in this process. */
export type EventLog = ReturnType<typeof createEventLog>;
