import { type Job, type JobEvent, type JobResult, type JobState, UNFINISHED_JOB_STATES } from '#contract';
import type { ImageResultRecord, JobRecord } from '../db/index.ts';
import { AppError } from '../errors.ts';
import type { JobKind } from './job-kind.ts';
import type { JobsContext, Listening } from './jobs-context.ts';

const JOBS_SHOWN = 50;

/**
 * Returns a job of the account. The jobs of a deleted session are gone at once, also while one of them still has to stop.
 * @throws job_not_found
 */
export async function findJob({ repositories }: JobsContext, accountId: string, jobId: string): Promise<JobRecord> {
  const job = await repositories.jobs.find(accountId, jobId);
  if (!job || (await repositories.sessions.isDeleted(job.sessionId)))
    throw new AppError('job_not_found', `No job ${jobId}`);
  return job;
}

/** Returns a job with its results. @throws job_not_found */
export async function readJob(context: JobsContext, accountId: string, jobId: string): Promise<Job> {
  const job = await findJob(context, accountId, jobId);
  const kind = context.kinds[job.kind];
  return showJob(job, kind, await refreshed(job, kind, await context.repositories.imageResults.findOfJob(jobId)));
}

/** Lists a session's newest jobs, without results. */
export async function listJobs(
  { repositories, kinds }: JobsContext,
  accountId: string,
  sessionId: string,
): Promise<Job[]> {
  const { jobs, imageResults } = repositories;
  const found = await jobs.findOfSession(accountId, sessionId, JOBS_SHOWN);
  return Promise.all(found.map(async (job) => showJob(job, kinds[job.kind], await imageResults.countOfJob(job._id))));
}

/** Returns true when the account has a job that was started, on any server, and so has or will have events. */
export async function isStarted(
  { repositories, live }: JobsContext,
  accountId: string,
  jobId: string,
): Promise<boolean> {
  const job = await repositories.jobs.find(accountId, jobId);
  return job !== null && (job.state !== 'created' || live.has(jobId));
}

/** Returns the counts by which a job is settled, `running` while it is unfinished, null when it does not exist. */
export async function outcomeOf({ repositories, kinds }: JobsContext, accountId: string, jobId: string) {
  const job = await repositories.jobs.find(accountId, jobId);
  if (!job) return null;
  if (isUnfinished(job)) return 'running' as const;
  const results = await repositories.imageResults.findOfJob(jobId);
  return { total: job.total, payable: job.payable, completed: countDelivered(kinds[job.kind], results) };
}

/** Returns true for a state before the job's end. */
export function isUnfinished({ state }: { state: JobState }): boolean {
  return (UNFINISHED_JOB_STATES as readonly JobState[]).includes(state);
}

/** The last event of a job. */
export type LastEvent = Extract<JobEvent, { event: 'complete' | 'error' }>;

/** Converts a job to its public form, with its results or with the number of finished images only. */
function showJob(job: JobRecord, kind: JobKind<JobResult>, results: ImageResultRecord[] | number): Job {
  const common: Omit<Job, 'settings' | 'options' | 'results' | 'summary'> = {
    jobId: job._id,
    sessionId: job.sessionId,
    kind: job.kind,
    status: job.state,
    current: typeof results === 'number' ? results : results.length,
    total: job.total,
    createdAt: job.createdAt.toISOString(),
    finishedAt: job.finishedAt?.toISOString() ?? null,
    credits: job.credits,
    error: job.error,
  };
  const listed = typeof results === 'number' ? {} : { results: showResults(job, kind, results) };
  // The types of settings, results and summary depend on the kind.
  return { ...common, ...kind.showSettings(job), ...listed, summary: job.summary } as Job;
}

/** Recreates the last event of an ended job from its record. */
export function replayLastEvent(job: JobRecord, kind: JobKind<JobResult>, records: ImageResultRecord[]): LastEvent {
  const results = showResults(job, kind, records);
  const ids = { jobId: job._id, sessionId: job.sessionId };
  const credits = job.credits ?? { charged: 0, refunded: 0, balance: 0 };
  if (job.state === 'completed' || job.state === 'partial') {
    const lastedMs = (job.finishedAt ?? job.createdAt).getTime() - job.createdAt.getTime();
    const summary = job.summary ?? kind.summarize(results, Math.max(0, lastedMs));
    return {
      event: 'complete',
      data: { ...ids, status: job.state, results, summary, credits, ...kind.completeDetails() },
    };
  }
  const { code, message } = job.error ?? { code: 'processing_failed', message: 'The job failed' };
  return { event: 'error', data: { error: message, code, ...ids, results, credits } };
}

function showResults(job: JobRecord, kind: JobKind<JobResult>, records: ImageResultRecord[]): JobResult[] {
  const charged = job.payable ?? job.total;
  const perImage = job.credits && charged > 0 ? job.credits.charged / charged : 0;
  return records.map(({ result }) => kind.show(result, perImage));
}

/** Returns results of a job as they are now. */
export async function refreshed(
  job: JobRecord,
  kind: JobKind<JobResult>,
  records: ImageResultRecord[],
): Promise<ImageResultRecord[]> {
  if (!kind.refresh) return records;
  const results = await kind.refresh(
    job,
    records.map(({ result }) => result),
  );
  return records.map((record, index) => ({ ...record, result: results[index] ?? record.result }));
}

/** Counts the images that have to be paid. */
export function countDelivered(kind: JobKind<JobResult>, records: Pick<ImageResultRecord, 'result'>[]): number {
  return records.filter(({ result }) => result.status === 'completed' && !kind.isWithoutGain(result)).length;
}

/** Longest wait of a job that needs a listener for its first one, in milliseconds. */
const ARRIVAL_MS = 300;
/** The same after the job was taken over from another process, in milliseconds: clients return after `retry`. */
const RETURN_MS = 15_000;
/** Time in which a listener on another server shows itself again, in milliseconds: some polls of that server. */
const ELSEWHERE_MS = 2500;

interface ListeningDeps {
  /** Time without a listener after which the job stops, in milliseconds; null: never. */
  stopsAfterMs: number | null;
  isTakenOver: boolean;
  /** Counter of the job that listeners on other servers increase. */
  listened: number;
  readListened: () => Promise<number>;
  stop: () => void;
}

/** Tracks the listeners of a job, here and on other servers, and stops the job when there are none. */
export function createListening(deps: ListeningDeps): Listening {
  const { stopsAfterMs, isTakenOver, readListened, stop } = deps;
  let { listened } = deps;
  let here = 0;
  let elsewhereAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  const isElsewhere = () => performance.now() - elsewhereAt < ELSEWHERE_MS;
  const hasListener = () => here > 0 || isElsewhere();

  function updateRemote(count: number): void {
    if (count === listened) return;
    listened = count;
    elsewhereAt = performance.now();
  }

  async function stopWithoutListener(): Promise<void> {
    // The listener may be newer than the last read of the counter. Without an answer it is unknown.
    updateRemote(await readListened().catch(() => listened));
    if (closed || here > 0) return;
    if (isElsewhere()) wait(ELSEWHERE_MS);
    else stop();
  }

  function wait(ms: number): void {
    clearTimeout(timer);
    if (stopsAfterMs === null || closed || here > 0) return;
    if (ms > 0) timer = setTimeout(() => void stopWithoutListener(), ms).unref();
    else void stopWithoutListener();
  }

  // The client may disconnect before it listens, or never return to a job that was taken over.
  wait(Math.max(stopsAfterMs ?? 0, isTakenOver ? RETURN_MS : ARRIVAL_MS));
  return {
    hasListener: () => stopsAfterMs === null || hasListener(),

    join() {
      here += 1;
      clearTimeout(timer);
      return () => {
        here -= 1;
        wait(stopsAfterMs ?? 0);
      };
    },

    updateRemote,

    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}
