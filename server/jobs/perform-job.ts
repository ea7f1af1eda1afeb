import type { JobResult } from '#contract';
import type { ImageRecord, ImageResultRecord, JobRecord, Repositories } from '../db/index.ts';
import type { Logger, Metrics } from '../observability/index.ts';
import type { Admission } from './admission.ts';
import { outlastOutage } from './database-outage.ts';
import type { EventLog, NumberedEvent } from './event-log.ts';
import { endJob, type Settlement, type StopReason } from './finish-job.ts';
import type { JobKinds, JobTask } from './job-kind.ts';
import { pastJob } from './past-job.ts';
import { runJob } from './run-job.ts';

/** First event number of an attempt, times its index: above all numbers that a client can have seen. */
const EVENTS_PER_ATTEMPT = 1_000_000;

/** Abort reason when another process continues the job. */
export type Handover = 'handover';

/** Dependencies of {@link performJob}. */
export interface WorkContext {
  repositories: Pick<Repositories, 'jobs' | 'images' | 'imageResults' | 'jobHistory'>;
  kinds: JobKinds;
  admission: Admission;
  settle: (job: JobRecord, delivered: number) => Promise<Settlement>;
  instanceId: string;
  logger: Logger;
  metrics: Metrics;
  now: () => Date;
  /** Monotonic clock, in milliseconds. */
  monotonicNow: () => number;
  /** Repeats work during a database outage, until this process hands its jobs over. */
  outlast: <T>(work: () => Promise<T>) => Promise<T>;
}

/** One attempt at a job. */
export interface JobWork {
  job: JobRecord;
  log: EventLog;
  /** Aborts with a {@link StopReason} or {@link Handover}. */
  abort: AbortController;
  /** False while nobody listens to a job that stops without a listener. */
  isHeard: () => boolean;
  /** Results that were stored before an interruption. */
  earlier: ImageResultRecord[];
}

/** Performs a job to its end, or releases its lease when the work is handed over. */
export async function performJob(work: JobWork, context: WorkContext): Promise<void> {
  const { job, log, abort } = work;
  const { repositories, instanceId, now, monotonicNow, outlast } = context;
  const ageAtStartMs = Math.max(0, now().getTime() - job.createdAt.getTime());
  const startedAt = monotonicNow();
  const images = await outlast(() => imagesOf(job, context));
  let lastNumber = job.attempts * EVENTS_PER_ATTEMPT - 1;
  if (!abort.signal.aborted) {
    const owned = await outlast(() => repositories.jobs.advance(job._id, instanceId, 'processing'));
    if (!owned) return endRemoved(work, lastNumber + 1, context);
    if (owned.stopRequested) abort.abort(owned.stopRequested satisfies StopReason);
    for await (const event of processImages(work, images, lastNumber + 1, context)) {
      lastNumber = event.n;
      log.push(event);
    }
  }
  if (abort.signal.reason === ('handover' satisfies Handover)) {
    await repositories.jobs.releaseLease(job._id, instanceId, now());
    return;
  }
  // By the monotonic clock: the wall clock may have been set since.
  const durationMs = Math.round(ageAtStartMs + monotonicNow() - startedAt);
  await finish(work, { images, durationMs, number: lastNumber + 1 }, context);
}

async function* processImages(
  { job, earlier, isHeard, abort: { signal } }: JobWork,
  images: Map<string, ImageRecord>,
  firstEvent: number,
  context: WorkContext,
): AsyncGenerator<NumberedEvent> {
  const kind = context.kinds[job.kind];
  const tasks = outlasting(await context.outlast(() => kind.plan(job, images)), signal);
  const saveResult = (record: ImageResultRecord) => save(job, record, context);
  yield* runJob({ job, kind, tasks, earlier, isHeard, firstEvent, saveResult, logger: context.logger }, signal);
}

/** Settles a job, stores its end and emits its last event with the given number. */
async function finish(
  { job, log, abort: { signal } }: JobWork,
  { images, durationMs, number }: { images: Map<string, ImageRecord>; durationMs: number; number: number },
  context: WorkContext,
): Promise<void> {
  const { repositories, instanceId, settle, logger, metrics, now, outlast } = context;
  const kind = context.kinds[job.kind];
  const stopped = signal.aborted ? (signal.reason as StopReason) : null;
  const ending = await outlast(() => endJob({ job, kind, images, stopped, settle, repositories, durationMs }));
  const { event, state, results } = ending;
  // Stored before the job's end, so that usage includes every job that is shown as ended. Repeating it changes nothing.
  await outlast(() => repositories.jobHistory.put(pastJob({ job, kind, ending, finishedAt: now() })));
  const finished = await outlast(() =>
    repositories.jobs.finish(job._id, instanceId, now(), {
      state,
      lastEvent: number,
      summary: event.event === 'complete' ? event.data.summary : null,
      credits: event.data.credits ?? null,
      error: event.event === 'error' ? { code: event.data.code, message: event.data.error } : null,
    }),
  );
  // Not finished here: another server has taken the job over and emits its end, or it was removed with its session.
  if (!finished && (await outlast(() => repositories.jobs.find(job.accountId, job._id)))) return;
  metrics.jobFinished({ kind: job.kind, outcome: state, seconds: durationMs / 1000 });
  logger.info({ jobId: job._id, kind: job.kind, state, images: results.length }, 'job finished');
  log.push({ ...event, n: number } as NumberedEvent);
}

/** Ends a job whose session was deleted between its charge and its start; returns the credits. */
async function endRemoved({ job, log }: JobWork, n: number, context: WorkContext): Promise<void> {
  const { repositories, settle, outlast } = context;
  if (await outlast(() => repositories.jobs.find(job.accountId, job._id))) return;
  const { credits } = await outlast(() => settle(job, 0));
  const fault = { code: 'session_deleted', error: 'The session was deleted before the job started' };
  log.push({ n, event: 'error', data: { ...fault, jobId: job._id, sessionId: job.sessionId, results: [], credits } });
}

async function save(job: JobRecord, record: ImageResultRecord, context: WorkContext): Promise<void> {
  await context.outlast(() => context.repositories.imageResults.insert(record));
  context.admission.imageDone(job._id);
  const format = context.kinds[job.kind].formatOf(record.result);
  context.metrics.imageFinished({ operation: job.kind, format, outcome: record.result.status });
}

async function imagesOf(job: JobRecord, { repositories }: WorkContext): Promise<Map<string, ImageRecord>> {
  const images = await repositories.images.findOfSession(job.accountId, job.sessionId);
  return new Map(images.map((image) => [image._id, image]));
}

/** Makes tasks wait during a database outage instead of failing. */
function outlasting(tasks: JobTask<JobResult>[], signal: AbortSignal): JobTask<JobResult>[] {
  return tasks.map((task) => ({ ...task, run: (options) => outlastOutage(() => task.run(options), signal) }));
}
