import type { ProgressEvent } from '#contract';
import { type JobEnd, readJob } from '../../../plugin-bridge/batch/index.ts';
import type { ResultStream } from '../../../plugin-bridge/sdk/index.ts';
import type { Core } from '../core.ts';

/** Opens a job's stream; `closing` closes its connection. */
export type OpenStream<Result> = (closing: AbortSignal) => ResultStream<Result>;

/** Reads a job of a run to its end, with the transport and the timers of the element. */
export function readRunJob<Result>(
  core: Core,
  open: OpenStream<Result>,
  signal: AbortSignal,
  onProgress: (progress: ProgressEvent) => void,
): Promise<JobEnd<Result>> {
  return readJob({ open, onProgress, getJob: (jobId) => core.transport().getJob(jobId), timers: core.env }, signal);
}
