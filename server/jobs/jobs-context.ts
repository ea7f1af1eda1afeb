import type { JobRecord, Repositories } from '../db/index.ts';
import type { Logger, Metrics } from '../observability/index.ts';
import type { JobsConfig } from './config.ts';
import type { EventLog, NumberedEvent } from './event-log.ts';
import type { JobKinds, Settlement } from './job-kind.ts';

/** Interval at which this process reads the state of its jobs that other servers change, in milliseconds. */
export const POLL_EVERY_MS = 100;

/** Dependencies of {@link createJobs}. */
export interface JobsDeps {
  repositories: Pick<
    Repositories,
    'jobs' | 'jobImages' | 'jobEvents' | 'images' | 'imageResults' | 'jobHistory' | 'sessions'
  >;
  kinds: JobKinds;
  /** Rejects when a session does not exist. */
  requireSession: (accountId: string, sessionId: string) => Promise<unknown>;
  /** Extends sessions of jobs that run, so that none expires before its results are fetched. */
  keepSessions: (sessionIds: string[]) => Promise<void>;
  /** Refunds what was charged for images that were not delivered; repeating it for the same job changes nothing. */
  settle: (job: JobRecord, delivered: number) => Promise<Settlement>;
  /** Returns true when a job was charged; called for jobs that were not started before an interruption. */
  isPaid: (job: JobRecord) => Promise<boolean>;
  config: JobsConfig;
  /** True if no other server uses the data. @default false */
  isAlone?: boolean;
  /** Workers of this process that have nothing to do. @default none */
  freeWorkers?: () => number;
  /** Called when a job has stopped because nothing can be written. */
  onUnwritable?: () => void;
  logger: Logger;
  metrics: Metrics;
  now?: () => Date;
  /** Monotonic clock, in milliseconds. */
  monotonicNow?: () => number;
}

/** Account of waiting images, and true if they were paid for. */
export interface Admitted {
  accountId: string;
  isPaid: boolean;
}

/** The limit of images that wait. */
export interface Admission {
  /**
   * Reserves capacity for the images of a job. A job above a limit is admitted when nothing else waits below that limit.
   * @returns false when a job of this id has capacity already, which stays unchanged
   * @throws overloaded, rate_limited, shutting_down; all before any credit is taken
   */
  admit(jobId: string, images: number, owner: Admitted): boolean;
  /** Sets the capacity of a job without a check: it was admitted before, on this or another server. */
  readmit(jobId: string, images: number, owner: Admitted): void;
  /** Releases the capacity of one image. */
  imageDone(jobId: string): void;
  /** Releases the remaining capacity of a job. */
  forget(jobId: string): void;
  /** Refuses new jobs from now on. */
  close(): void;
  readonly isClosed: boolean;
  /** Images that wait. */
  readonly waiting: number;
}

/** The events of a job as this process knows them, shared by all who read them. */
export interface JobFeed {
  readonly jobId: string;
  readonly log: EventLog;
  /** Resolves when the stored events are in the log. */
  ready: Promise<void>;
  /** Readers, and the work on the job in this process. */
  users: number;
  /** True while this process works on the job alone, so that it knows every event. */
  live: boolean;
  /** The next event gets a higher number. */
  base: number;
  /** True if the job stops without a listener. */
  needsListener: boolean;
  /** True if the last poll found events, or none has been made. */
  active: boolean;
  /** True if the work has stopped because nothing can be written: readers leave and come back later. */
  broken: boolean;
}

/** Events of jobs in this process. */
export interface JobFeeds {
  /** Opens the events of a job, to be released again. `fresh`: none are stored yet. */
  open(jobId: string, options?: { fresh?: boolean; live?: boolean }): JobFeed;
  /** Ends one use of a feed. */
  release(feed: JobFeed): void;
  /** Adds the last event if there is one, and ends every reader. */
  end(feed: JobFeed, event?: NumberedEvent): void;
  /** Reads what was stored since. */
  refresh(feed: JobFeed): Promise<void>;
  /** Closes the change stream of the database. */
  close(): void;
}

/** Listeners of one job, here and on other servers. */
export interface Listening {
  /** False while a job that stops without a listener has none. */
  hasListener(): boolean;
  /** Counts a listener on this server until the returned function is called. */
  join(): () => void;
  /** Updates the listeners on other servers by their counter in the database. */
  updateRemote(count: number): void;
  close(): void;
}

/** A job on which this process works. */
export interface Working {
  job: JobRecord;
  /** Aborts with a {@link StopReason} or {@link Handover}. */
  abort: AbortController;
  /** Resolves when the work has ended. */
  ended: Promise<void>;
}

/** A job that this process leads: it ends the job. */
export interface LiveJob extends Working {
  listening: Listening;
}

/** State of the jobs module. */
export interface JobsContext extends Required<JobsDeps> {
  /** This process in leases and blocks. */
  instanceId: string;
  leaseMs: number;
  /** Returns the end of a lease that begins now. */
  leaseEnd: () => Date;
  admission: Admission;
  feeds: JobFeeds;
  /** Jobs that this process leads, by id. */
  live: Map<string, LiveJob>;
  /** Jobs of other servers of which this process takes blocks, by id. */
  helped: Map<string, Working>;
  /** Ids of jobs that were left to workers and have not ended: they keep their room, so that overload is refused. */
  away: Set<string>;
  /** Ids of jobs whose removal is in progress: the recovery must not start them. */
  discarded: Set<string>;
  /** Aborts when this process hands its jobs over. */
  leaving: AbortController;
  /** Repeats work during a database outage, until this process hands its jobs over. */
  outlast: <T>(work: () => Promise<T>) => Promise<T>;
}
