import type { JobCredits, ProgressEvent } from '#contract';

/** An event of a job, as far as readers of its results need it. */
export type ResultEvent<Result> =
  | { event: 'progress'; data: ProgressEvent }
  | { event: 'complete'; data: { jobId: string; status: string; results: Result[]; credits?: JobCredits } }
  | { event: 'error'; data: { error: string; code: string; jobId: string; results?: Result[]; credits?: JobCredits } };

/** The part of a job's stream that readers of its results need; adapters may supply their own. */
export interface ResultStream<Result> extends AsyncIterable<ResultEvent<Result>> {
  /** Resolves with the job's id once the service has accepted the job. */
  jobId(): Promise<string>;
  /** Cancels the job at the service. */
  cancel(): Promise<void>;
}
