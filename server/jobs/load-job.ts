import type { JobResult } from '#contract';
import { outlastOutage } from '../database-outage.ts';
import type { ImageRecord, ImageResultRecord, JobRecord, Repositories } from '../db/index.ts';
import { createEventWriter, type EventWriter } from './event-writer.ts';
import type { JobFeed } from './job-feeds.ts';
import type { JobKind, JobKinds, JobTask, PlannedJob } from './job-kind.ts';
import { emitEnd } from './run-job.ts';

/** Dependencies of {@link loadJob}. */
export interface LoadContext {
  repositories: Pick<Repositories, 'jobImages' | 'jobEvents' | 'images' | 'imageResults'>;
  kinds: JobKinds;
  /** Repeats work during a database outage. */
  outlast: <T>(work: () => Promise<T>) => Promise<T>;
}

/** A job with all that its processing needs. */
export interface LoadedJob {
  job: PlannedJob;
  kind: JobKind<JobResult>;
  feed: JobFeed;
  /** Images of the session, by id. */
  images: Map<string, ImageRecord>;
  writer: EventWriter;
}

/** Reads the images of a job and its stored events. */
export async function loadJob(
  { job, feed }: { job: JobRecord; feed: JobFeed },
  { repositories, kinds, outlast }: LoadContext,
): Promise<LoadedJob> {
  const { _id: jobId, accountId, sessionId } = job;
  await feed.ready;
  const images = await outlast(() => repositories.jobImages.findOfJob(jobId));
  const held = await outlast(() => repositories.images.findOfSession(accountId, sessionId));
  const writer = createEventWriter({
    jobId,
    jobEvents: repositories.jobEvents,
    last: { n: Math.max(feed.log.last, job.eventBase), current: feed.log.current },
    onStored: feed.log.add,
    outlast,
  });
  const byId = new Map(held.map((image) => [image._id, image]));
  return { job: { ...job, images }, kind: kinds[job.kind], feed, images: byId, writer };
}

/** Plans all images of a job; during a database outage they wait instead of failing. */
export async function planTasks(
  { job, kind, images }: LoadedJob,
  signal: AbortSignal,
  { outlast }: LoadContext,
): Promise<JobTask<JobResult>[]> {
  const tasks = await outlast(() => kind.plan(job, images));
  return tasks.map((task) => ({ ...task, run: (options) => outlastOutage(() => task.run(options), signal) }));
}

/** Emits the ends of images whose results were stored by a process that did not live to say so. */
export function emitMissing({ job, kind, feed, images, writer }: LoadedJob, results: ImageResultRecord[]): void {
  const ended = feed.log.endedImages();
  for (const { result } of results) {
    const image = images.get(result.imageId);
    if (image && !ended.has(image._id)) emitEnd({ job, kind, emit: writer.write }, image, result);
  }
}
