import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JobEvent } from '#contract';
import { eventId, type JobEventRecord, type Repositories } from '../db/index.ts';

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

/** Time between two writes, in milliseconds: many images of a job share one. */
const WRITE_EVERY_MS = 50;
/** Most events of one write. */
const MOST_AT_ONCE = 500;

/** A progress event before it has a number. `current` is counted when it is stored. */
export interface NewEvent {
  data: Omit<ProgressData, 'current'>;
  /** True if the event ends an image. */
  ends: boolean;
}

type ProgressData = Extract<JobEvent, { event: 'progress' }>['data'];

interface EventWriterDeps {
  jobId: string;
  jobEvents: Repositories['jobEvents'];
  /** The last stored event, or the last number of the previous run. */
  last: { n: number; current: number };
  /** Called with stored events in order, those of other servers included. */
  onStored: (events: NumberedEvent[]) => void;
  /** Repeats work during a database outage. */
  outlast: <T>(work: () => Promise<T>) => Promise<T>;
}

interface Writer extends EventWriterDeps {
  /** Distinguishes the events of this writer. */
  by: string;
  pending: NewEvent[];
  /** The write in progress. */
  writing: Promise<void> | null;
  /** True while other servers store events, too: these are read before each write. */
  isShared: boolean;
  failure: unknown;
}

/**
 * Creates the writer of a job's progress events. An event gets its number when it is stored: the next one, which only one
 * writer can get. So numbers have no gaps, and a server that reads up to a number has seen everything before it.
 */
export function createEventWriter(deps: EventWriterDeps) {
  const writer: Writer = {
    ...deps,
    by: randomBytes(6).toString('base64url'),
    pending: [],
    writing: null,
    isShared: false,
    failure: null,
  };
  return {
    /** Queues an event. It is stored soon, together with others. */
    write(event: NewEvent): void {
      writer.pending.push(event);
      writer.writing ??= drain(writer);
    },

    /** Resolves when all queued events are stored. @throws the error for which they could not be stored */
    async flush(): Promise<void> {
      while (writer.writing) await writer.writing;
      if (writer.failure) throw writer.failure;
    },

    /** Reads what other servers have stored, so that `last` is the last event of all. */
    async catchUp(): Promise<void> {
      await this.flush();
      advance(writer, await writer.outlast(() => deps.jobEvents.findAfter(deps.jobId, writer.last.n)));
    },

    /** Number of the last stored event that this writer knows. */
    get last(): number {
      return writer.last.n;
    },
  };
}

/** Stores the progress events of a job. */
export type EventWriter = ReturnType<typeof createEventWriter>;

/** Writes until nothing is queued. */
async function drain(writer: Writer): Promise<void> {
  try {
    while (writer.pending.length > 0) {
      const stored = await writer.outlast(() => store(writer));
      // The slower server retries at once: after a pause, another server would be faster again.
      if (stored && writer.pending.length > 0) await sleep(WRITE_EVERY_MS);
    }
  } catch (error) {
    writer.failure = error;
    writer.pending = [];
  } finally {
    writer.writing = null;
  }
}

/**
 * Stores the first queued events, behind those of other servers.
 * @returns false if another server was faster: the next call reads what it has stored
 */
async function store(writer: Writer): Promise<boolean> {
  if (writer.isShared) writer.isShared = await readOthers(writer);
  const numbered = number(writer);
  if (numbered.length === 0) return true;
  const stored = await writer.jobEvents.append(numbered);
  advance(writer, numbered.slice(0, stored));
  if (stored === numbered.length) return true;
  writer.isShared = true;
  return false;
}

/** Reads events that other servers appended since the last write. @returns true if there are any */
async function readOthers(writer: Writer): Promise<boolean> {
  const events = await writer.jobEvents.findAfter(writer.jobId, writer.last.n);
  advance(writer, events);
  return events.some(({ by }) => by !== writer.by);
}

/** Gives the next numbers to the first queued events. */
function number({ jobId, by, last, pending }: Writer): JobEventRecord[] {
  let { n, current } = last;
  return pending.slice(0, MOST_AT_ONCE).map(({ data, ends }) => {
    n += 1;
    if (ends) current += 1;
    const { imageId, clientRef, ...rest } = data;
    return { _id: eventId(jobId, n), n, event: 'progress', data: { imageId, clientRef, current, ...rest }, by };
  });
}

/** Continues after these stored events, and removes own ones from the queue. */
function advance(writer: Writer, stored: JobEventRecord[]): void {
  const end = stored.at(-1);
  if (!end) return;
  writer.pending.splice(0, stored.filter(({ by }) => by === writer.by).length);
  writer.last = { n: end.n, current: (end.data as ProgressData).current };
  writer.onStored(stored.map(sentEvent));
}
