import type { Job, JobResult, JobSummary } from '#contract';
import type { ImageRecord, JobRecord } from '../db/index.ts';

/** How one image is worked on. */
export interface TaskOptions {
  signal: AbortSignal;
  /** Called when a step begins; steps that are not the kind's own, or lie behind, are not told. */
  onStep: (step: string) => void;
}

/** One image of a job, with all that was decided before work on it starts. */
export interface JobTask<Result extends JobResult> {
  /** Place in the request, from 0. */
  index: number;
  image: ImageRecord;
  /** How much work it is beside the others of the job, in any unit; absent: as much as any other. */
  weight?: number;
  /** Does the work; a throw is this image's failure alone. May be called again after an outage. */
  run: (options: TaskOptions) => Promise<Result>;
}

/** Bytes of the images that were done, before and after; absent where nothing is made of them. */
interface Bytes {
  originalBytes: number;
  outputBytes: number;
}

/** What a kind of job does with its images; all else about jobs is the same for every kind. */
export interface JobKind<Result extends JobResult> {
  /** Steps of an image in work, in the order in which they are told. */
  steps: readonly string[];
  /** Images of one job in work at once. */
  concurrency: number;
  /** True when work that nobody listens to any more is not worth doing. */
  stopsWithoutListener: boolean;
  /** Decides, in request order, what is done with each image. */
  plan(job: JobRecord, images: Map<string, ImageRecord>): Promise<JobTask<Result>[]>;
  /** The result of an image that could not be done. */
  failed(job: JobRecord, image: ImageRecord, error: { code: string; message: string }): Result;
  /** The result as callers see it, with what one done image cost in credits. */
  show(result: Result, perImage: number): Result;
  /** Sums over the results of a job. */
  summarize(results: Result[], durationMs: number): JobSummary & Partial<Bytes>;
  /** What a `complete` event tells beside the usual. */
  completeDetails(): Record<string, unknown>;
  /** What a job was told about all its images, as callers see it. */
  showSettings(job: JobRecord): Pick<Job, 'settings' | 'options'>;
  /** What the last progress event of an image tells beside the usual. */
  finalProgress(result: Result): Record<string, unknown>;
  /** The format that metrics count an image under. */
  formatOf(result: Result): string;
}

/** The kinds of jobs that there are. */
export type JobKinds = Record<JobRecord['kind'], JobKind<JobResult>>;
