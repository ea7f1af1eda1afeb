import { setMaxListeners } from 'node:events';
import type { JobResult } from '#contract';
import type { ImageRecord, ImageResultRecord, JobRecord, Repositories, StoredEvent } from '../db/index.ts';
import type { Logger, Metrics } from '../observability/index.ts';
import type { Admission } from './admission.ts';
import { outlastOutage } from './database-outage.ts';
import { createEventLog, type EventLog, type NumberedEvent } from './event-log.ts';
import { endJob, type Settlement, type StopReason } from './finish-job.ts';
import type { JobKinds, JobTask } from './job-kind.ts';
import { pastJob } from './past-job.ts';
import { runJob } from './run-job.ts';

/** Event numbers of a job that was taken up again start here, above all that a client can have seen. */
const EVENTS_PER_ATTEMPT = 1_000_000;

/** How long a job that needs a listener waits for its first one, in milliseconds. */
const ARRIVAL_MS = 300;
/** How long it waits after it was taken up by another process: clients come back after `retry`. */
const RETURN_MS = 15_000;

/** Why work on a job stops here without the job having ended: somebody else will go on. */
type Handover = 'handover';

interface LiveJob {
  job: JobRecord;
  log: EventLog;
  abort: AbortController;
  ended: Promise<void>;
  /** Who reads the events at the moment. */
  listeners: number;
}

interface RunnerDeps {
  repositories: Pick<Repositories, 'jobs' | 'images' | 'imageResults' | 'jobHistory'>;
  kinds: JobKinds;
  admission: Admission;
  settle: (job: JobRecord, completed: number) => Promise<Settlement>;
  instanceId: string;
  leaseMs: number;
  logger: Logger;
  metrics: Metrics;
  now: () => Date;
  /** Monotonic clock, in milliseconds. */
  monotonicNow: () => number;
}

/** Builds what runs the jobs of this process: one event log per job, a lease that is renewed, exactly one last event. */
export function createJobRunner(deps: RunnerDeps) {
  const { repositories, instanceId, leaseMs, logger, metrics, now, monotonicNow } = deps;
  const live = new Map<string, LiveJob>();
  const leaving = new AbortController();
  /** Waits for the database as long as this process does not have to leave. */
  const outlast = <T>(work: () => Promise<T>) => outlastOutage(work, leaving.signal);
  const renewal = setInterval(() => void renewLeases(), leaseMs / 3).unref();

  async function renewLeases(): Promise<void> {
    await Promise.all(
      [...live.values()].map(async ({ job, abort }) => {
        const renewed = await repositories.jobs
          .renewLease(job._id, instanceId, new Date(now().getTime() + leaseMs))
          // An outage is waited out; another server can only take the job when the database is back.
          .catch(() => undefined);
        if (renewed === null && live.has(job._id)) abort.abort('handover' satisfies Handover);
        if (renewed?.stopRequested) abort.abort(renewed.stopRequested satisfies StopReason);
      }),
    );
  }

  /** Starts work on a job whose lease this process holds, unless it is at it. Does not wait for its end. */
  function start(job: JobRecord, stopped: StopReason | null = null, earlier: ImageResultRecord[] = []): void {
    if (live.has(job._id)) return;
    if (leaving.signal.aborted) {
      deps.admission.forget(job._id);
      return;
    }
    deps.admission.readmit(job._id, job.images.length - earlier.length);
    const abort = new AbortController();
    // Every image of the job that waits or is worked on listens to it.
    setMaxListeners(0, abort.signal);
    const log = createEventLog(eventsOf(earlier));
    if (stopped) abort.abort(stopped);
    const ended = run(job, { log, signal: abort.signal, earlier })
      .catch((error: unknown) => logger.error({ err: error, jobId: job._id }, 'a job stopped unexpectedly'))
      .finally(() => {
        live.delete(job._id);
        deps.admission.forget(job._id);
        log.close();
      });
    const running = { job, log, abort, ended, listeners: 0 };
    live.set(job._id, running);
    // Who asked may be gone before listening, and nobody may come back to a job that was taken up.
    const grace = job.attempts > 0 ? RETURN_MS : ARRIVAL_MS;
    setTimeout(() => stopIfAlone(running), grace).unref();
  }

  async function run(job: JobRecord, { log, signal, earlier }: RunContext): Promise<void> {
    const kind = deps.kinds[job.kind];
    const ageAtStartMs = Math.max(0, now().getTime() - job.createdAt.getTime());
    const startedAt = monotonicNow();
    const images = await outlast(() => imagesOf(job));
    let lastNumber = job.attempts * EVENTS_PER_ATTEMPT - 1;
    if (!signal.aborted) {
      const mine = await outlast(() => repositories.jobs.advance(job._id, instanceId, 'processing'));
      if (!mine) return endRemoved(job, log, lastNumber + 1);
      if (mine.stopRequested) live.get(job._id)?.abort.abort(mine.stopRequested satisfies StopReason);
      const tasks = lasting(await outlast(() => kind.plan(job, images)), signal);
      const saveResult = (record: ImageResultRecord) => save(job, record);
      const firstEvent = lastNumber + 1;
      for await (const event of runJob({ job, kind, tasks, earlier, firstEvent, saveResult, logger }, signal)) {
        lastNumber = event.n;
        log.push(event);
      }
    }
    if (signal.aborted && signal.reason === 'handover') {
      await repositories.jobs.releaseLease(job._id, instanceId, now());
      return;
    }
    const stopped = signal.aborted ? (signal.reason as StopReason) : null;
    const settle = deps.settle;
    // The clock may have been set since: how long the work took is not what it says now.
    const durationMs = Math.round(ageAtStartMs + monotonicNow() - startedAt);
    const ending = await outlast(() => endJob({ job, kind, images, stopped, settle, repositories, durationMs }));
    const { event, state, results } = ending;
    // Before the end is written: whoever sees the job ended sees it in the figures too. Doing it twice changes nothing.
    await outlast(() => repositories.jobHistory.put(pastJob({ job, kind, ending, finishedAt: now() })));
    const finished = await outlast(() =>
      repositories.jobs.finish(job._id, instanceId, now(), {
        state,
        lastEvent: lastNumber + 1,
        summary: event.event === 'complete' ? event.data.summary : null,
        credits: event.data.credits ?? null,
        error: event.event === 'error' ? { code: event.data.code, message: event.data.error } : null,
      }),
    );
    // Taken over by another server, or gone with its session: then whoever still listens is told all the same.
    if (!finished && (await outlast(() => repositories.jobs.find(job.accountId, job._id)))) return;
    metrics.jobFinished({ kind: job.kind, outcome: state, seconds: durationMs / 1000 });
    logger.info({ jobId: job._id, kind: job.kind, state, images: results.length }, 'job finished');
    log.push({ ...event, n: lastNumber + 1 } as NumberedEvent);
  }

  /** A job whose session was deleted between its charge and its start ends like one that was stopped by it. */
  async function endRemoved(job: JobRecord, log: EventLog, n: number): Promise<void> {
    if (await outlast(() => repositories.jobs.find(job.accountId, job._id))) return;
    const { credits } = await outlast(() => deps.settle(job, 0));
    const why = { code: 'session_deleted', error: 'The session was deleted before the job started' };
    log.push({ n, event: 'error', data: { ...why, jobId: job._id, sessionId: job.sessionId, results: [], credits } });
  }

  async function save(job: JobRecord, record: ImageResultRecord): Promise<void> {
    await outlast(() => repositories.imageResults.insert(record));
    deps.admission.imageDone(job._id);
    const format = deps.kinds[job.kind].formatOf(record.result);
    metrics.imageFinished({ operation: job.kind, format, outcome: record.result.status });
  }

  async function* attend(running: LiveJob, after: number, signal: AbortSignal): AsyncGenerator<NumberedEvent> {
    running.listeners += 1;
    try {
      yield* running.log.read(after, signal);
    } finally {
      running.listeners -= 1;
      stopIfAlone(running);
    }
  }

  function stopIfAlone({ job, abort, listeners }: LiveJob): void {
    if (listeners === 0 && deps.kinds[job.kind].stopsWithoutListener) abort.abort('client_left' satisfies StopReason);
  }

  async function imagesOf(job: JobRecord): Promise<Map<string, ImageRecord>> {
    const images = await repositories.images.findOfSession(job.accountId, job.sessionId);
    return new Map(images.map((image) => [image._id, image]));
  }

  return {
    start,

    /** Tells whether a job runs in this process. */
    has: (jobId: string): boolean => live.has(jobId),

    /** Resolves when no work on a job is under way here. */
    async ended(jobId: string): Promise<void> {
      await live.get(jobId)?.ended;
    },

    /** Live events of a job that runs in this process, from the one after `after`; undefined when it does not. */
    listen(jobId: string, after: number, signal: AbortSignal): AsyncGenerator<NumberedEvent> | undefined {
      const running = live.get(jobId);
      return running && attend(running, after, signal);
    },

    get size(): number {
      return live.size;
    },

    /** Stops a job here; resolves when its end is written. False when it does not run in this process. */
    async stop(jobId: string, reason: StopReason): Promise<boolean> {
      const running = live.get(jobId);
      running?.abort.abort(reason);
      await running?.ended;
      return running !== undefined;
    },

    /** Stops every job of a session that runs here. */
    async stopSession(sessionId: string): Promise<void> {
      const mine = [...live.values()].filter(({ job }) => job.sessionId === sessionId);
      for (const { abort } of mine) abort.abort('session_deleted' satisfies StopReason);
      await Promise.all(mine.map(({ ended }) => ended));
    },

    /** Waits up to `waitMs` for running jobs, then hands the rest over to whoever recovers them. */
    async drain(waitMs: number): Promise<void> {
      const all = Promise.all([...live.values()].map(({ ended }) => ended));
      let timer: NodeJS.Timeout | undefined;
      const deadline = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, waitMs);
      });
      await Promise.race([all, deadline]);
      clearTimeout(timer);
      clearInterval(renewal);
      leaving.abort();
      for (const { abort } of live.values()) abort.abort('handover' satisfies Handover);
      // Not `all`: a job that was admitted before may have started since.
      await Promise.all([...live.values()].map(({ ended }) => ended));
    },
  };
}

/** Tasks that wait when the database is away, instead of failing. */
function lasting(tasks: JobTask<JobResult>[], signal: AbortSignal): JobTask<JobResult>[] {
  return tasks.map((task) => ({ ...task, run: (options) => outlastOutage(() => task.run(options), signal) }));
}

interface RunContext {
  log: EventLog;
  signal: AbortSignal;
  earlier: ImageResultRecord[];
}

/** The stored events of a job, in the order in which they were sent. */
export function eventsOf(records: { events: StoredEvent[] }[]): NumberedEvent[] {
  return records.flatMap((record) => record.events as NumberedEvent[]).sort((a, b) => a.n - b.n);
}

/** Runs the jobs of this process. */
export type JobRunner = ReturnType<typeof createJobRunner>;
