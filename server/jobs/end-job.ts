import { isDeepStrictEqual } from 'node:util';
import type { JobResult, JobState } from '#contract';
import type { ImageRecord, ImageResultRecord, JobRecord, PastJobRecord, Repositories } from '../db/index.ts';
import type { EventWriter, NumberedEvent } from './event-log.ts';
import type { JobKind, PlannedJob, Settlement, StopReason } from './job-kind.ts';
import type { JobFeed, JobsContext } from './jobs-context.ts';
import { countDelivered, type LastEvent, refreshed } from './read-jobs.ts';

/** A job with all that its processing needs. */
export interface LoadedJob {
  job: PlannedJob;
  kind: JobKind<JobResult>;
  feed: JobFeed;
  /** Images of the session, by id. */
  images: Map<string, ImageRecord>;
  writer: EventWriter;
}

/** A job whose work is over. */
interface WorkedJob extends LoadedJob {
  stopped: StopReason | null;
  durationMs: number;
}

/** Settles a job, stores its end and emits its last event. */
export async function finishJob(work: WorkedJob, context: JobsContext): Promise<void> {
  const { job, kind, feed, writer, durationMs } = work;
  const { repositories, instanceId, settle, keepSessions, logger, metrics, now, outlast, feeds } = context;
  const ending = await outlast(() => endJob({ ...work, settle, repositories }));
  const { event, state, results } = ending;
  const n = writer.last + 1;
  // Stored before the job's end, so that usage includes every job that is shown as ended. Repeating it changes nothing.
  await outlast(() => repositories.jobHistory.put(pastJob(job, kind, ending, now())));
  // From here on its results can be fetched, also of a job that was resumed after a long time.
  await outlast(() => keepSessions([job.sessionId]));
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
export async function endRemovedJob({ job, feed, writer }: LoadedJob, context: JobsContext): Promise<void> {
  const { repositories, settle, outlast } = context;
  if (await outlast(() => repositories.jobs.find(job.accountId, job._id))) return;
  const { credits } = await outlast(() => settle(job, 0));
  const fault = { code: 'session_deleted', error: 'The session was deleted before the job started' };
  const data = { ...fault, jobId: job._id, sessionId: job.sessionId, results: [], credits };
  context.feeds.end(feed, { n: writer.last + 1, event: 'error', data });
}

const STOP_MESSAGES: Record<StopReason, { image: string; job: string }> = {
  job_cancelled: { image: 'The job was cancelled before this image was done', job: 'The job was cancelled' },
  client_left: { image: 'The client left before this image was done', job: 'The client left' },
  session_deleted: {
    image: 'The session was deleted before this image was done',
    job: 'The session was deleted while the job ran',
  },
  job_abandoned: {
    image: 'The job could not be resumed after an interruption',
    job: 'The job could not be resumed after an interruption',
  },
};

interface FinishInput {
  job: PlannedJob;
  kind: JobKind<JobResult>;
  images: Map<string, ImageRecord>;
  stopped: StopReason | null;
  settle: (job: JobRecord, delivered: number) => Promise<Settlement>;
  repositories: Pick<Repositories, 'imageResults'>;
  durationMs: number;
}

/** The end of a job: its last event, state and results. */
interface Ending {
  event: LastEvent;
  state: JobState;
  results: JobResult[];
}

/**
 * Completes the results of a job, settles it and returns its last event. May be called again after a crash: results are
 * stored once per image, and settling the same job twice changes nothing.
 */
export async function endJob(input: FinishInput): Promise<Ending> {
  const { job, kind, stopped, settle, durationMs } = input;
  const records = await fillGaps(input);
  const completed = records.filter(({ result }) => result.status === 'completed').length;
  const [{ credits, perImage }, current] = await Promise.all([
    settle(job, countDelivered(kind, records)),
    keepCurrent(input, records),
  ]);
  const results = current.map(({ result }) => kind.show(result, perImage));
  const state = stateOf(results.length, completed, stopped);
  const ids = { jobId: job._id, sessionId: job.sessionId };
  if (state === 'completed' || state === 'partial') {
    const summary = kind.summarize(results, durationMs);
    const details = kind.completeDetails();
    return {
      event: { event: 'complete', data: { ...ids, status: state, results, summary, credits, ...details } },
      state,
      results,
    };
  }
  return {
    event: { event: 'error', data: { ...reasonOf(results, stopped), ...ids, results, credits } },
    state,
    results,
  };
}

/** Stores a failed result for each image that was not processed; returns all results. */
async function fillGaps({ job, kind, images, stopped, repositories }: FinishInput): Promise<ImageResultRecord[]> {
  const stored = await repositories.imageResults.findOfJob(job._id);
  const byIndex = new Map(stored.map((record) => [record.index, record]));
  const code = stopped ?? 'job_abandoned';
  const { _id: jobId, sessionId } = job;
  const all: ImageResultRecord[] = [];
  const missing: ImageResultRecord[] = [];
  for (const [index, { imageId }] of job.images.entries()) {
    const image = images.get(imageId);
    let record = byIndex.get(index);
    if (!record && image) {
      const result = kind.failed(job, image, { code, message: STOP_MESSAGES[code].image });
      record = { _id: `${jobId}:${index}`, jobId, sessionId, index, result };
      missing.push(record);
    }
    if (record) all.push(record);
  }
  const allInserted = await repositories.imageResults.insertMissing(missing);
  // If not, another server has stored a result meanwhile.
  return allInserted ? all : repositories.imageResults.findOfJob(jobId);
}

/** Stores what has changed in the results since, so that readers on other servers end with the same, and returns them. */
async function keepCurrent(
  { job, kind, repositories }: FinishInput,
  records: ImageResultRecord[],
): Promise<ImageResultRecord[]> {
  const current = await refreshed(job, kind, records);
  for (const [index, record] of current.entries())
    if (!isDeepStrictEqual(record.result, records[index]?.result)) await repositories.imageResults.update(record);
  return current;
}

function stateOf(total: number, completed: number, stopped: StopReason | null): JobState {
  if (stopped && stopped !== 'job_abandoned') return 'cancelled';
  if (completed === 0) return 'failed';
  return completed === total ? 'completed' : 'partial';
}

function reasonOf(results: JobResult[], stopped: StopReason | null): { error: string; code: string } {
  if (stopped) return { code: stopped, error: STOP_MESSAGES[stopped].job };
  const [first] = results;
  const reason = first?.error?.message ?? 'unknown reason';
  const what =
    results.length === 1
      ? 'The image could not be processed'
      : `None of the ${results.length} images could be processed`;
  return { code: first?.error?.code ?? 'processing_failed', error: `${what}: ${reason}` };
}

/** Creates the history record of a job, which outlives its session. */
function pastJob(job: JobRecord, kind: JobKind<JobResult>, ending: Ending, finishedAt: Date): PastJobRecord {
  const { _id, accountId, sessionId, createdAt, total } = job;
  const { completed, originalBytes = 0, outputBytes = 0 } = kind.summarize(ending.results, 0);
  const { charged, refunded } = ending.event.data.credits ?? { charged: 0, refunded: 0 };
  const { format = null, preset = null } = kind.showSettings(job).settings ?? {};
  return {
    _id,
    accountId,
    sessionId,
    kind: job.kind,
    state: ending.state,
    total,
    completed,
    bytesBefore: originalBytes,
    bytesAfter: outputBytes,
    credits: charged - refunded,
    format,
    preset,
    createdAt,
    finishedAt,
  };
}
