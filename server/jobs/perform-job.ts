import type { JobEvent, JobResult } from '#contract';
import { outlastOutage } from '../concurrency.ts';
import type { ImageRecord, ImageResultRecord, JobRecord } from '../db/index.ts';
import { AppError, DamagedFileError, isDiskFull, isUnwritable } from '../errors.ts';
import type { Logger, Metrics } from '../observability/index.ts';
import { endRemovedJob, finishJob, type LoadedJob } from './end-job.ts';
import { createEventWriter, type NewEvent } from './event-log.ts';
import type { Handover, JobKind, JobTask, PlannedJob, StopReason } from './job-kind.ts';
import type { JobFeed, JobsContext } from './jobs-context.ts';
import { blockSource, type ImageSource, shareJob, sourceOf, waitForOthers } from './take-blocks.ts';

/** One attempt at a job. */
interface JobWork {
  job: JobRecord;
  /** Gets all events. */
  feed: JobFeed;
  /** Aborts with a {@link StopReason} or {@link Handover}. */
  abort: AbortController;
  /** False while a job that stops without a listener has none. */
  hasListener: () => boolean;
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
  let isWithoutOthers = true;
  if (!abort.signal.aborted) {
    const owned = await outlast(() => repositories.jobs.begin(job._id, instanceId));
    if (!owned) return endRemovedJob(loaded, context);
    if (owned.stopRequested) abort.abort(owned.stopRequested satisfies StopReason);
    isWithoutOthers = await processImages(loaded, context);
  } else if (job.attempts > 0 && !isHandover(abort.signal)) {
    isWithoutOthers = await waitForOthers(job._id, context);
  }
  if (isHandover(abort.signal) || !isWithoutOthers) {
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
      await runJob({ ...runOf(loaded, context), hasListener: () => true, source }, signal);
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

/**
 * Processes the images that have no result, those of large jobs together with other servers.
 * @returns false if this process is to hand its jobs over while others work on the job
 */
async function processImages(work: LoadedWork, context: JobsContext): Promise<boolean> {
  const { job, kind, feed, writer, hasListener, abort } = work;
  const { repositories, outlast, isAlone } = context;
  const planned = await planTasks(work, abort.signal, context);
  const earlier = job.attempts > 0 ? await outlast(() => repositories.imageResults.findOfJob(job._id)) : [];
  emitMissing(work, earlier);
  const done = new Set(earlier.map(({ index }) => index));
  const tasks = planned.filter(({ index }) => !done.has(index));
  for (const { image } of tasks) emit({ job, emit: writer.write }, image, { status: 'queued', step: 'queued' });
  const run = { ...runOf(work, context), hasListener };
  // Other servers may still work on images of a job that was interrupted, however few are left.
  const mayBeShared = kind.isShared && !isAlone;
  const isShared = mayBeShared && (tasks.length > kind.concurrency || (await wasShared(job, context)));
  try {
    if (!isShared) {
      await runJob({ ...run, source: sourceOf(tasks, kind.concurrency) }, abort.signal);
      return true;
    }
    feed.live = false;
    const source = blockSource({ job, writer, tasks: planned }, context);
    const share = () => runJob({ ...run, source }, abort.signal);
    const isWithoutOthers = await shareJob(job._id, share, abort.signal, context);
    await writer.catchUp();
    await outlast(() => context.feeds.refresh(feed));
    emitMissing(work, await outlast(() => repositories.imageResults.findOfJob(job._id)));
    return isWithoutOthers;
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

interface RunJobInput {
  job: PlannedJob;
  kind: JobKind<JobResult>;
  /** The images to process. */
  source: ImageSource;
  /** False while a job that stops without a listener has none. */
  hasListener: () => boolean;
  /** Queues an event. */
  emit: (event: NewEvent) => void;
  /** Stores the result of an image. */
  saveResult: (record: ImageResultRecord) => Promise<void>;
  logger: Logger;
  metrics: Pick<Metrics, 'unexpectedError'>;
}

/** State of one call of {@link runJob}. */
interface JobRun extends RunJobInput {
  signal: AbortSignal;
  /** A result could not be stored, or this server stops: the rest is left to the recovery of the job. */
  broken: boolean;
}

/**
 * Processes images of a job and emits their progress. The failure of an image does not affect the others. Ends early, without
 * an event, when the signal aborts; stored results remain. Resolves when no work is in progress.
 */
export async function runJob(input: RunJobInput, signal: AbortSignal): Promise<void> {
  const run: JobRun = { ...input, signal, broken: false };
  // Waits for all images even after a failure (the store is full): no work continues after the end of its job.
  const work = await Promise.allSettled(Array.from({ length: input.kind.concurrency }, () => runImages(run)));
  for (const outcome of work) if (outcome.status === 'rejected') throw outcome.reason;
}

/** Emits the end of an image. */
function emitEnd(run: Pick<RunJobInput, 'job' | 'kind' | 'emit'>, image: ImageRecord, result: JobResult): void {
  const { status, error } = result;
  const details = { ...(error ? { error } : {}), ...run.kind.finalProgress(result) };
  emit(run, image, { status, step: 'done', ...details }, true);
}

function emit(
  { job, emit }: Pick<RunJobInput, 'job' | 'emit'>,
  image: ImageRecord,
  fields: Fields,
  ends = false,
): void {
  emit({ data: { imageId: image._id, clientRef: image.clientRef, total: job.total, ...fields }, ends });
}

type Fields = Pick<Extract<JobEvent, { event: 'progress' }>['data'], 'status' | 'step'>;

/** Processes one image after the other. */
async function runImages(run: JobRun): Promise<void> {
  const { source, signal } = run;
  for (;;) {
    const task = signal.aborted || run.broken ? undefined : await source.next();
    if (!task || signal.aborted || run.broken) return;
    try {
      const result = await attempt(run, task);
      if (!result) return;
      await saveEnd(run, task, result);
    } catch (error) {
      run.broken = true;
      throw error;
    }
  }
}

/** Stores the result of an image, and then emits it: a client that has seen the event finds the result. */
async function saveEnd(run: JobRun, task: JobTask<JobResult>, result: JobResult): Promise<void> {
  const { _id: jobId, sessionId } = run.job;
  await run.saveResult({ _id: `${jobId}:${task.index}`, jobId, sessionId, index: task.index, result });
  emitEnd(run, task.image, result);
  await run.source.ended(task);
}

/** Returns the image's result, also of a failure; null when the signal aborted. @throws shutting_down */
async function attempt(run: JobRun, task: JobTask<JobResult>): Promise<JobResult | null> {
  const { job, kind, signal, hasListener } = run;
  let reached = -1;
  let isWaiting = false;
  const onStep = (step: string) => {
    const place = kind.steps.indexOf(step);
    const isWait = kind.waits?.includes(step) ?? false;
    // Work may repeat steps; the events of an image only move forward, apart from waits.
    const isNews = isWait ? !isWaiting : place > reached || (isWaiting && place === reached);
    if (!isNews || signal.aborted) return;
    isWaiting = isWait;
    if (!isWait) reached = place;
    emit(run, task.image, { status: 'processing', step });
  };
  try {
    return await task.run({ onStep, signal, hasListener });
  } catch (thrown) {
    if (signal.aborted) return null;
    // The fault of this server, not of the image, which is left to the recovery of the job.
    if (thrown instanceof AppError && thrown.code === 'shutting_down') throw thrown;
    return kind.failed(job, task.image, describeFailure(thrown, run));
  }
}

function describeFailure(
  thrown: unknown,
  { job, logger, metrics }: Pick<JobRun, 'job' | 'logger' | 'metrics'>,
): { code: string; message: string } {
  if (thrown instanceof AppError) return { code: thrown.code, message: thrown.message };
  if (isDiskFull(thrown)) {
    return { code: 'insufficient_storage', message: 'The server has no disk space left for this image' };
  }
  if (thrown instanceof DamagedFileError) {
    logger.error({ err: thrown, jobId: job._id }, 'a stored file is damaged');
    return { code: 'file_damaged', message: 'The stored upload is damaged; upload the image again' };
  }
  if (isUnwritable(thrown)) {
    logger.error({ err: thrown, jobId: job._id }, 'a file could not be written');
    return { code: 'storage_unavailable', message: 'The server cannot write or read its files at the moment' };
  }
  logger.error({ err: thrown, jobId: job._id }, 'an image failed unexpectedly');
  metrics.unexpectedError('image');
  const message = 'The service failed while it processed the image; the fault is not in the file';
  return { code: 'internal_error', message };
}
