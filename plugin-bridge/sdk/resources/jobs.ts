import { createJobStream, type JobStream } from '../core/job-stream.ts';
import type { CallOptions, Requester } from '../core/request.ts';
import type { AnalyzeEvent } from './analysis.ts';
import type { ExportEvent } from './exports.ts';

/** Options for following a job. */
export interface FollowOptions extends CallOptions {
  /** Id of the last received event; only later events follow. */
  lastEventId?: string | undefined;
}

/** Creates the methods for jobs. @internal */
export function createJobMethods(requester: Requester) {
  return {
    /** Reads state and results of a job. */
    getJob: (jobId: string, options: CallOptions = {}) => requester.call('GET /v1/jobs/:jobId', { jobId, ...options }),

    /** Follows a job that is running or has ended. */
    followJob: <E extends ExportEvent | AnalyzeEvent = ExportEvent | AnalyzeEvent>(
      jobId: string,
      options: FollowOptions = {},
    ): JobStream<E> => createJobStream(requester, { ...options, jobId }),

    /** Cancels a job; images not exported are refunded. @throws ApiError `job_finished` */
    cancelJob: (jobId: string, options: CallOptions = {}) =>
      requester.call('POST /v1/jobs/:jobId/cancel', { jobId, ...options }),
  };
}
