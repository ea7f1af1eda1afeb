import type { Job, JobCredits, ProgressEvent } from '#contract';
import { ConnectionError, type ResultStream } from '../sdk/index.ts';

/** Final state of a job. */
export interface JobEnd<Result> {
  jobId: string;
  results: readonly Result[];
  credits: JobCredits | null;
  /** Set if the job ended with an error; there may be results as well. */
  error: { code: string; message: string } | null;
}

/** Abort reason that also cancels the job. Any other reason only stops reading. */
export type CancelReason = 'cancel';

const CANCEL: CancelReason = 'cancel';

/** Longest wait for the job's final state after a cancel, in milliseconds. */
const FINAL_STATE_MS = 10_000;

/** Dependencies of reading a job. */
export interface JobReader<Result> {
  /** Opens the stream; `closing` closes its connection. */
  open(closing: AbortSignal): ResultStream<Result>;
  /** Reads a job's state after a cancel. */
  getJob(jobId: string): Promise<Job>;
  onProgress(progress: ProgressEvent): void;
  timers: { setTimeout(task: () => void, ms: number): unknown; clearTimeout(timer: unknown): void };
}

/**
 * Reads a job's stream to its end. An abort with the reason `cancel` cancels the job and waits for its final state,
 * since images finished by then are paid for: the state comes by the stream or, if the stream stalls, by a request.
 * Any other abort leaves the job running.
 * @throws ConnectionError `aborted` after an abort without a known final state, `timeout` if the cancel got no response;
 *   any error of the stream or the cancel
 */
export async function readJob<Result>(
  { open, getJob, onProgress, timers }: JobReader<Result>,
  signal: AbortSignal,
): Promise<JobEnd<Result>> {
  // A pending `next()` only ends if the connection is closed.
  const closing = new AbortController();
  const stream = open(closing.signal);
  const events = stream[Symbol.asyncIterator]();
  let timer: unknown;
  let onAbort = () => {};
  const aborted = new Promise<JobEnd<Result>>((resolve, reject) => {
    const endJob = async () => {
      if (signal.reason !== CANCEL) return reject(new ConnectionError('aborted'));
      let accepted = false;
      timer = timers.setTimeout(() => reject(new ConnectionError(accepted ? 'aborted' : 'timeout')), FINAL_STATE_MS);
      try {
        await stream.cancel();
        accepted = true;
        const { jobId, results = [], ...job } = await getJob(await stream.jobId());
        if (job.finishedAt) resolve({ ...job, jobId, results: results as Result[] });
      } catch (cause) {
        if (!accepted) reject(cause);
      }
    };
    onAbort = () => void endJob();
  });
  aborted.catch(() => {});
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort);
  try {
    for (;;) {
      const next = events.next();
      next.catch(() => {});
      const first = await Promise.race([next, aborted]);
      if ('jobId' in first) return first;
      const { value: event, done } = first;
      if (done) throw new ConnectionError('stream_interrupted');
      if (event.event === 'progress') onProgress(event.data);
      else {
        const { jobId, results = [], credits = null } = event.data;
        const error = event.event === 'error' ? { code: event.data.code, message: event.data.error } : null;
        return { jobId, results, credits, error };
      }
    }
  } finally {
    timers.clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    closing.abort();
  }
}
