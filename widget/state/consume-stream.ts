import type { JobCredits, ProgressEvent } from '#contract';
import type { Core } from './core.ts';
import type { Timer } from './environment.ts';
import { failure } from './errors.ts';
import type { JobStream } from './transport.ts';

/** What a job came to. */
export interface JobEnd<Result> {
  jobId: string;
  results: readonly Result[];
  credits: JobCredits | null;
  /** Set when the job ended with an error; there may be results all the same. */
  error: { code: string; message: string } | null;
}

/** Reason of an abort that stops listening and nothing else. */
export const LEAVE = 'leave';

/** After a cancel the service still says what was finished; it gets so long for it, in milliseconds. */
const LAST_WORDS_MS = 10_000;

/**
 * Opens a job's stream and reads its events to the end. When `signal` says so the job is cancelled at the service, and its end is
 * waited for, since what was finished by then is paid for and stays: it comes by the stream, or the service is asked for it,
 * in case the stream stands still. With {@link LEAVE} the job goes on without us.
 * @throws whatever the stream or the cancel throws; an error with the code `aborted` when all that is known is that the
 *   service has heard of the cancel, `timeout` when not even that is
 */
export async function consumeStream<Result>(
  core: Core,
  open: (closing: AbortSignal) => JobStream<Result>,
  signal: AbortSignal,
  onProgress: (progress: ProgressEvent) => void,
): Promise<JobEnd<Result>> {
  // Ends the connection: an iterator that waits for its next event cannot be closed by itself.
  const closing = new AbortController();
  const stream = open(closing.signal);
  const events = stream[Symbol.asyncIterator]();
  let timer: Timer;
  let stop = () => {};
  const stopped = new Promise<JobEnd<Result>>((resolve, reject) => {
    stop = async () => {
      if (signal.reason === LEAVE) return reject(failure('aborted'));
      let heard = false;
      timer = core.env.setTimeout(() => reject(failure(heard ? 'aborted' : 'timeout')), LAST_WORDS_MS);
      try {
        await stream.cancel();
        heard = true;
        const { jobId, results = [], ...job } = await core.transport().getJob(await stream.jobId());
        if (job.finishedAt) resolve({ ...job, jobId, results: results as Result[] });
      } catch (cause) {
        if (!heard) reject(cause);
      }
    };
  });
  stopped.catch(() => {});
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop);
  try {
    for (;;) {
      const next = events.next();
      next.catch(() => {});
      const first = await Promise.race([next, stopped]);
      if ('jobId' in first) return first;
      const { value: event, done } = first;
      if (done) throw failure('stream_interrupted');
      if (event.event === 'progress') onProgress(event.data);
      else {
        const { jobId, results = [], credits = null } = event.data;
        const error = event.event === 'error' ? { code: event.data.code, message: event.data.error } : null;
        return { jobId, results, credits, error };
      }
    }
  } finally {
    core.env.clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    closing.abort();
  }
}
