import type { Job } from '#contract';
import { createJobStream, type JobStream } from '../core/job-stream.ts';
import type { CallOptions, Requester } from '../core/request.ts';
import { readJson } from '../core/response.ts';
import type { AnalyzeEvent } from './analysis.ts';
import type { ExportEvent } from './exports.ts';

/** Options for following a job. */
export interface FollowOptions extends CallOptions {
  /** Id of the last received event; only later events follow. */
  lastEventId?: string;
}

/** Creates the methods for jobs. */
export function createJobMethods(requester: Requester) {
  const pathOf = (jobId: string) => `/v1/jobs/${encodeURIComponent(jobId)}`;
  return {
    /** Reads state and results of a job. */
    getJob: (jobId: string, options: CallOptions = {}) => requester.get<Job>(pathOf(jobId), options),

    /** Follows a job that is running or has ended. */
    followJob: <E extends ExportEvent | AnalyzeEvent = ExportEvent | AnalyzeEvent>(
      jobId: string,
      options: FollowOptions = {},
    ): JobStream<E> => createJobStream(requester, { ...options, jobId }),

    /** Cancels a job; images not exported are refunded. @throws ApiError `job_finished` */
    cancelJob: (jobId: string, { signal }: CallOptions = {}) =>
      requester.send({ method: 'POST', path: `${pathOf(jobId)}/cancel`, signal }, readJson<Job>),
  };
}
