import type { ImageResultRecord, JobRecord, Repositories } from '../db/index.ts';
import type { Logger, Metrics } from '../observability/index.ts';
import type { Admission } from './admission.ts';
import type { NumberedEvent } from './event-log.ts';
import { endJob, type Settlement, type StopReason } from './finish-job.ts';
import { sourceOf } from './image-source.ts';
import type { JobFeed, JobFeeds } from './job-feeds.ts';
import { emitMissing, type LoadContext, type LoadedJob, loadJob, planTasks } from './load-job.ts';
import { pastJob } from './past-job.ts';
import { emitQueued, runJob } from './run-job.ts';
import { type ShareContext, sharedSource, shareJob, waitForOthers } from './share-job.ts';

/** Abort reason when another process continues the job. */
export type Handover = 'handover';

/** Dependencies of {@link performJob}. */
export interface WorkContext extends LoadContext, ShareContext {
  repositories: Pick<Repositories, 'jobs' | 'jobImages' | 'jobEvents' | 'images' | 'imageResults' | 'jobHistory'>;
  feeds: JobFeeds;
  admission: Admission;
  settle: (job: JobRecord, delivered: number) => Promise<Settlement>;
  logger: Logger;
  metrics: Metrics;
  now: () => Date;
  /** True if no other server uses the data. */
  isAlone: boolean;
}

/** One attempt at a job. */
export interface JobWork {
  job: JobRecord;
  /** Gets all events. */
  feed: JobFeed;
  /** Aborts with a {@link StopReason} or {@link Handover}. */
  abort: AbortController;
  /** False while a job that stops without a listener has none. */
  isHeard: () => boolean;
}

type LoadedWork = LoadedJob & Pick<JobWork, 'abort' | 'isHeard'>;

/** Performs a job to its end, or releases its lease when the work is handed over. */
export async function performJob(work: JobWork, context: WorkContext): Promise<void> {
  const { job, abort } = work;
  const { repositories, instanceId, now, monotonicNow, outlast } = context;
  const ageAtStartMs = Math.max(0, now().getTime() - job.createdAt.getTime());
  const startedAt = monotonicNow();
  const { feed, isHeard } = work;
  await feed.ready;
  // Another process may have stored events after the feed was opened.
  if (job.attempts > 0) await outlast(() => context.feeds.refresh(feed));
  const loaded = { ...(await loadJob({ job, feed }, context)), abort, isHeard };
  if (!abort.signal.aborted) {
    const owned = await outlast(() => repositories.jobs.advance(job._id, instanceId, 'processing'));
    if (!owned) return endRemoved(loaded, context);
    if (owned.stopRequested) abort.abort(owned.stopRequested satisfies StopReason);
    await processImages(loaded, context);
  } else if (job.attempts > 0 && !isHandover(abort.signal)) {
    await waitForOthers(job._id, context);
  }
  if (isHandover(abort.signal)) {
    await repositories.jobs.releaseLease(job._id, instanceId, now());
    return;
  }
  // By the monotonic clock: the wall clock may have been set since.
  await finish(loaded, Math.round(ageAtStartMs + monotonicNow() - startedAt), context);
}

function isHandover({ reason }: AbortSignal): boolean {
  return reason === ('handover' satisfies Handover);
}

/** Processes the images that have no result, large jobs together with other servers. */
async function processImages(work: LoadedWork, context: WorkContext): Promise<void> {
  const { job, kind, feed, writer, isHeard, abort } = work;
  const { repositories, logger, metrics, outlast, isAlone } = context;
  const planned = await planTasks(work, abort.signal, context);
  const earlier = job.attempts > 0 ? await outlast(() => repositories.imageResults.findOfJob(job._id)) : [];
  emitMissing(work, earlier);
  const done = new Set(earlier.map(({ index }) => index));
  const tasks = planned.filter(({ index }) => !done.has(index));
  emitQueued({ job, emit: writer.write }, tasks);
  const saveResult = (record: ImageResultRecord) => save(job, record, context);
  const run = { job, kind, isHeard, emit: writer.write, saveResult, logger, metrics };
  const wasShared =
    job.attempts > 0 && (await outlast(() => repositories.jobImages.findUnfinished(job._id))).length > 0;
  const isShared = wasShared || (kind.isShared && !isAlone && tasks.length > kind.concurrency);
  try {
    if (!isShared) return await runJob({ ...run, source: sourceOf(tasks, kind.concurrency) }, abort.signal);
    feed.live = false;
    const source = sharedSource(work, planned, context);
    await shareJob(job._id, () => runJob({ ...run, source }, abort.signal), abort.signal, context);
    await writer.catchUp();
    await outlast(() => context.feeds.refresh(feed));
    emitMissing(work, await outlast(() => repositories.imageResults.findOfJob(job._id)));
  } finally {
    await writer.flush();
  }
}

/** Settles a job, stores its end and emits its last event. */
async function finish(work: LoadedWork, durationMs: number, context: WorkContext): Promise<void> {
  const { job, kind, feed, images, writer, abort } = work;
  const { repositories, instanceId, settle, logger, metrics, now, outlast, feeds } = context;
  const stopped = abort.signal.aborted ? (abort.signal.reason as StopReason) : null;
  const ending = await outlast(() => endJob({ job, kind, images, stopped, settle, repositories, durationMs }));
  const { event, state, results } = ending;
  const n = writer.last + 1;
  // Stored before the job's end, so that usage includes every job that is shown as ended. Repeating it changes nothing.
  await outlast(() => repositories.jobHistory.put(pastJob({ job, kind, ending, finishedAt: now() })));
  const finished = await outlast(() =>
    repositories.jobs.finish(job._id, instanceId, now(), {
      state,
      lastEvent: n,
      summary: event.event === 'complete' ? event.data.summary : null,
      credits: event.data.credits ?? null,
      error: event.event === 'error' ? { code: event.data.code, message: event.data.error } : null,
    }),
  );
  // Not finished here: another server has taken the job over and emits its end, or it was removed with its session.
  if (!finished && (await outlast(() => repositories.jobs.find(job.accountId, job._id)))) return;
  metrics.jobFinished({ kind: job.kind, outcome: state, seconds: durationMs / 1000 });
  logger.info({ jobId: job._id, kind: job.kind, state, images: results.length }, 'job finished');
  feeds.end(feed, { ...event, n } as NumberedEvent);
}

/** Ends a job whose session was deleted between its charge and its start; returns the credits. */
async function endRemoved({ job, feed, writer }: LoadedWork, context: WorkContext): Promise<void> {
  const { repositories, settle, outlast } = context;
  if (await outlast(() => repositories.jobs.find(job.accountId, job._id))) return;
  const { credits } = await outlast(() => settle(job, 0));
  const fault = { code: 'session_deleted', error: 'The session was deleted before the job started' };
  const data = { ...fault, jobId: job._id, sessionId: job.sessionId, results: [], credits };
  context.feeds.end(feed, { n: writer.last + 1, event: 'error', data });
}

async function save(job: JobRecord, record: ImageResultRecord, context: WorkContext): Promise<void> {
  await context.outlast(() => context.repositories.imageResults.insert(record));
  context.admission.imageDone(job._id);
  const format = context.kinds[job.kind].formatOf(record.result);
  context.metrics.imageFinished({ operation: job.kind, format, outcome: record.result.status });
}
