import type { Job } from '#contract';
import { createJobStream, type JobStream } from '../core/job-stream.ts';
import { type CallOptions, readJson, type Transport } from '../core/request.ts';
import type { AnalyzeEvent } from './analysis.ts';
import type { ExportEvent } from './exports.ts';

/** What following a job takes. */
export interface FollowOptions extends CallOptions {
  /** The last event that was seen; only later ones come. */
  lastEventId?: string;
}

/** Makes the methods that are about jobs. */
export function createJobMethods(transport: Transport) {
  const pathOf = (jobId: string) => `/v1/jobs/${encodeURIComponent(jobId)}`;
  return {
    /** State and results of a job. */
    getJob: (jobId: string, options: CallOptions = {}) => transport.get<Job>(pathOf(jobId), options),

    /** Joins the stream of a job that is running or has ended. */
    followJob: <E extends ExportEvent | AnalyzeEvent = ExportEvent | AnalyzeEvent>(
      jobId: string,
      options: FollowOptions = {},
    ): JobStream<E> => createJobStream(transport, { ...options, jobId }),

    /** Cancels a job; what was not exported is refunded. @throws ApiError `job_finished` */
    cancelJob: (jobId: string, { signal }: CallOptions = {}) =>
      transport.send({ method: 'POST', path: `${pathOf(jobId)}/cancel`, signal }, readJson<Job>),
  };
}
