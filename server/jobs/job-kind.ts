import type { Job, JobCredits, JobResult, JobSummary } from '#contract';
import type { ImageRecord, JobImage, JobRecord } from '../db/index.ts';

/** A job with its images, in request order. */
export interface PlannedJob extends JobRecord {
  images: JobImage[];
}

/** Reason for which a job ended before all its images were processed. */
export type StopReason = 'job_cancelled' | 'client_left' | 'session_deleted' | 'job_abandoned';

/** Abort reason when another process continues the job. */
export type Handover = 'handover';

/** Credits of an ended job. */
export interface Settlement {
  credits: JobCredits;
  /** Credits that one delivered image cost. */
  perImage: number;
}

/** Options of the processing of one image. */
export interface TaskOptions {
  signal: AbortSignal;
  /** False while a job that stops without a listener has none. */
  hasListener: () => boolean;
  /** Called when a step begins; steps that the kind does not list, or that precede the current one, are ignored. */
  onStep: (step: string) => void;
}

/** One image of a job, planned for processing. */
export interface JobTask<Result extends JobResult> {
  /** Place in the request, from 0. */
  index: number;
  image: ImageRecord;
  /** Relative amount of work in any unit; absent: equal to the others. */
  weight?: number;
  /** Processes the image; an error fails this image only. May be called again after an outage. */
  run: (options: TaskOptions) => Promise<Result>;
}

/** Bytes of the completed images before and after; absent for kinds without output. */
interface Bytes {
  originalBytes: number;
  outputBytes: number;
}

/** The parts of a job that differ between kinds. */
export interface JobKind<Result extends JobResult> {
  /** Steps of an image's processing, in the order of their events. */
  steps: readonly string[];
  /** Steps that may come in between at any time; the step before them may follow again. Absent: none. */
  waits?: readonly string[];
  /** Images of one job that are processed at once. */
  concurrency: number;
  /** True if other servers with free workers may take images of a large job. */
  isShared: boolean;
  /** True if its images cost credits: they have room of their own, and come first. */
  isPaid: boolean;
  /** Milliseconds without a listener after which a job stops; null: it never does. */
  stopsWithoutListenerAfterMs: number | null;
  /** Plans the processing of each image, in request order. */
  plan(job: PlannedJob, images: Map<string, ImageRecord>): Promise<JobTask<Result>[]>;
  /** Creates the result of a failed image. */
  failed(job: PlannedJob, image: ImageRecord, error: { code: string; message: string }): Result;
  /** Returns true if a completed image has nothing to pay for, so that its credits are given back. */
  isWithoutGain(result: Result): boolean;
  /** Returns stored results with what has changed since: the names of files that were renamed. Absent: nothing can. */
  refresh?(job: JobRecord, results: Result[]): Promise<Result[]>;
  /** Converts a result to its public form, with the credits that one delivered image cost. */
  show(result: Result, perImage: number): Result;
  /** Sums up the results of a job. */
  summarize(results: Result[], durationMs: number): JobSummary & Partial<Bytes>;
  /** Returns the kind's own fields of a `complete` event. */
  completeDetails(): Record<string, unknown>;
  /** Returns the job's settings in their public form. */
  showSettings(job: JobRecord): Pick<Job, 'settings' | 'options'>;
  /** Returns the kind's own fields of an image's last progress event. */
  finalProgress(result: Result): Record<string, unknown>;
  /** Returns the format label of an image in metrics. */
  formatOf(result: Result): string;
}

/** All kinds of jobs, by name. */
export type JobKinds = Record<JobRecord['kind'], JobKind<JobResult>>;
