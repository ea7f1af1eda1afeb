import type { JobCredits, ProgressEvent } from '#contract';
import type { Environment, Timer } from './environment.ts';
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

/** What whoever reads a stream wants to know. */
export interface StreamHooks {
  onJob?(jobId: string): void;
  onProgress(progress: ProgressEvent): void;
}

/** Reason of an abort that stops listening and nothing else. */
export const LEAVE = 'leave';

/** After a cancel the service still says what was finished; it gets so long for it, in milliseconds. */
const LAST_WORDS_MS = 10_000;

/**
 * Opens a job's stream and reads its events to the end. When `signal` says so the job is cancelled at the service, and its last event is
 * waited for, since what was finished by then is paid for and stays. With {@link LEAVE} the job goes on without us.
 * @throws whatever the stream throws; an error with the code `aborted` when the service says nothing after a cancel
 */
export async function consumeStream<Result>(
  open: (closing: AbortSignal) => JobStream<Result>,
  { env, signal, onJob, onProgress }: StreamHooks & { env: Environment; signal: AbortSignal },
): Promise<JobEnd<Result>> {
  // Ends the connection: an iterator that waits for its next event cannot be closed by itself.
  const closing = new AbortController();
  const stream = open(closing.signal);
  const events = stream[Symbol.asyncIterator]();
  let timer: Timer;
  let known = false;
  let stop = () => {};
  const stopped = new Promise<never>((_, reject) => {
    stop = () => {
      const giveUp = () => reject(failure('aborted'));
      if (signal.reason === LEAVE) return giveUp();
      timer = env.setTimeout(giveUp, LAST_WORDS_MS);
      stream.cancel().catch(giveUp);
    };
  });
  stopped.catch(() => {});
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop);
  try {
    for (;;) {
      const next = events.next();
      next.catch(() => {});
      const { value: event, done } = await Promise.race([next, stopped]);
      if (done) throw failure('stream_interrupted');
      if (!known && onJob) {
        known = true;
        onJob(await stream.jobId());
      }
      if (event.event === 'progress') onProgress(event.data);
      else {
        const { jobId, results = [], credits = null } = event.data;
        const error = event.event === 'error' ? { code: event.data.code, message: event.data.error } : null;
        return { jobId, results, credits, error };
      }
    }
  } finally {
    env.clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    closing.abort();
  }
}
