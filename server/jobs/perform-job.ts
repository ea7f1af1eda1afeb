import { outlastOutage } from '../concurrency.ts';
import type { ImageResultRecord, JobRecord } from '../db/index.ts';
import { endRemovedJob, finishJob, type LoadedJob } from './end-job.ts';
import { createEventWriter } from './event-log.ts';
import type { JobFeed } from './job-feeds.ts';
import type { Handover, StopReason } from './job-kind.ts';
import type { JobsContext } from './jobs-context.ts';
import { emitEnd, emitQueued, runJob } from './run-job.ts';
import { blockSource, shareJob, sourceOf, waitForOthers } from './take-blocks.ts';

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

type LoadedWork = LoadedJob & JobWork;

/** Performs a job to its end, or releases its lease when the work is handed over. */
export async function performJob(work: JobWork, context: JobsContext): Promise<void> {
  const { job, feed, abort } = work;
  const { repositories, instanceId, now, monotonicNow, outlast } = context;
  const ageAtStartMs = Math.max(0, now().getTime() - job.createdAt.getTime());
  const startedAt = monotonicNow();
  await feed.ready;
  // Another process may have stored events after the feed was opened.
  if (job.attempts > 0) await outlast(() => context.feeds.refresh(feed));
  const loaded = { ...work, ...(await loadJob(work, context)) };
  if (!abort.signal.aborted) {
    const owned = await outlast(() => repositories.jobs.advance(job._id, instanceId, 'processing'));
    if (!owned) return endRemovedJob(loaded, context);
    if (owned.stopRequested) abort.abort(owned.stopRequested satisfies StopReason);
    await processImages(loaded, context);
  } else if (job.attempts > 0 && !isHandover(abort.signal)) {
    await waitForOthers(job._id, context);
  }
  if (isHandover(abort.signal)) {
    await repositories.jobs.releaseLease(job._id, instanceId, now());
    return;
  }
  const stopped = abort.signal.aborted ? (abort.signal.reason as StopReason) : null;
  // By the monotonic clock: the wall clock may have been set since.
  await finishJob({ ...loaded, stopped, durationMs: Math.round(ageAtStartMs + monotonicNow() - startedAt) }, context);
}

/** Processes open images of a job that another server leads, until there are none. */
export async function helpWithJob(job: JobRecord, { signal }: AbortController, context: JobsContext): Promise<void> {
  const { feeds, repositories, instanceId, outlast } = context;
  const feed = feeds.open(job._id);
  try {
    const loaded = await loadJob({ job, feed }, context);
    const source = blockSource({ ...loaded, tasks: await planTasks(loaded, signal, context) }, context);
    try {
      await runJob({ ...runOf(loaded, context), isHeard: () => true, source }, signal);
    } finally {
      await loaded.writer.flush();
    }
  } finally {
    feeds.release(feed);
    await outlast(() => repositories.jobImages.giveBack(job._id, instanceId));
  }
}

function isHandover({ reason }: AbortSignal): boolean {
  return reason === ('handover' satisfies Handover);
}

/** Reads the images of a job and its stored events. */
async function loadJob({ job, feed }: Pick<JobWork, 'job' | 'feed'>, context: JobsContext): Promise<LoadedJob> {
  const { repositories, kinds, outlast } = context;
  const { _id: jobId, accountId, sessionId } = job;
  await feed.ready;
  const images = await outlast(() => repositories.jobImages.findOfJob(jobId));
  const held = await outlast(() => repositories.images.findOfSession(accountId, sessionId));
  const writer = createEventWriter({
    jobId,
    jobEvents: repositories.jobEvents,
    last: { n: Math.max(feed.log.last, job.eventBase), current: feed.log.current },
    onStored: feed.log.add,
    outlast,
  });
  const byId = new Map(held.map((image) => [image._id, image]));
  return { job: { ...job, images }, kind: kinds[job.kind], feed, images: byId, writer };
}

/** Plans all images of a job; during a database outage they wait instead of failing. */
async function planTasks({ job, kind, images }: LoadedJob, signal: AbortSignal, { outlast }: JobsContext) {
  const tasks = await outlast(() => kind.plan(job, images));
  return tasks.map((task): typeof task => ({
    ...task,
    run: (options) => outlastOutage(() => task.run(options), signal),
  }));
}

/** Processes the images that have no result, those of large jobs together with other servers. */
async function processImages(work: LoadedWork, context: JobsContext): Promise<void> {
  const { job, kind, feed, writer, isHeard, abort } = work;
  const { repositories, outlast, isAlone } = context;
  const planned = await planTasks(work, abort.signal, context);
  const earlier = job.attempts > 0 ? await outlast(() => repositories.imageResults.findOfJob(job._id)) : [];
  emitMissing(work, earlier);
  const done = new Set(earlier.map(({ index }) => index));
  const tasks = planned.filter(({ index }) => !done.has(index));
  emitQueued({ job, emit: writer.write }, tasks);
  const run = { ...runOf(work, context), isHeard };
  // Other servers may still work on images of a job that was interrupted, however few are left.
  const mayBeShared = kind.isShared && !isAlone;
  const isShared = mayBeShared && (tasks.length > kind.concurrency || (await wasShared(job, context)));
  try {
    if (!isShared) return await runJob({ ...run, source: sourceOf(tasks, kind.concurrency) }, abort.signal);
    feed.live = false;
    const source = blockSource({ job, writer, tasks: planned }, context);
    await shareJob(job._id, () => runJob({ ...run, source }, abort.signal), abort.signal, context);
    await writer.catchUp();
    await outlast(() => context.feeds.refresh(feed));
    emitMissing(work, await outlast(() => repositories.imageResults.findOfJob(job._id)));
  } finally {
    await writer.flush();
  }
}

/** Returns true if servers have taken images of an interrupted job. */
async function wasShared({ _id, attempts }: JobRecord, { repositories, outlast }: JobsContext): Promise<boolean> {
  return attempts > 0 && (await outlast(() => repositories.jobImages.wasTaken(_id)));
}

/** Emits the ends of images whose results were stored by a process that did not live to say so. */
function emitMissing({ job, kind, feed, images, writer }: LoadedJob, results: ImageResultRecord[]): void {
  const ended = feed.log.endedImages();
  for (const { result } of results) {
    const image = images.get(result.imageId);
    if (image && !ended.has(image._id)) emitEnd({ job, kind, emit: writer.write }, image, result);
  }
}

/** Returns what the processing of images has in common on all servers of a job. */
function runOf({ job, kind, writer }: LoadedJob, { repositories, admission, logger, metrics, outlast }: JobsContext) {
  const saveResult = async (record: ImageResultRecord) => {
    await outlast(() => repositories.imageResults.insert(record));
    admission.imageDone(job._id);
    const { status } = record.result;
    metrics.imageFinished({ operation: job.kind, format: kind.formatOf(record.result), outcome: status });
  };
  return { job, kind, emit: writer.write, saveResult, logger, metrics };
}
