import type { JobEvent } from '#contract';

/** An event with its place in the job's stream. Numbers grow; they may have gaps after an interruption. */
export type NumberedEvent = JobEvent & { n: number };

/** The events of a running job in memory: one writer, any number of readers, each at its own pace. */
export function createEventLog(earlier: NumberedEvent[] = []) {
  const events = [...earlier];
  const waiting = new Set<() => void>();
  let closed = false;

  function wakeReaders(): void {
    const readers = [...waiting];
    waiting.clear();
    for (const wake of readers) wake();
  }

  /** Resolves at the next event, at the end of the log, or when the reader leaves. */
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

    /** Ends every reader once it has read all. */
    close(): void {
      closed = true;
      wakeReaders();
    },

    /** Events with a number above `after`, then live ones until the log is closed or the signal aborts. */
    async *read(after: number, signal: AbortSignal): AsyncGenerator<NumberedEvent> {
      let index = 0;
      while (!signal.aborted) {
        const event = events[index];
        if (event) {
          index += 1;
          // A reader that claims to have seen more than there is still gets the end.
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
