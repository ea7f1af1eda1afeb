import { setTimeout as sleep } from 'node:timers/promises';
import type { JobResult } from '#contract';
import type { Repositories, UnfinishedBlock } from '../db/index.ts';
import { createBlockSource, type ImageSource } from './image-source.ts';
import type { JobTask } from './job-kind.ts';
import type { LoadedJob } from './load-job.ts';

/** Interval at which a server that has nothing left to do looks for what the others do, in milliseconds. */
const LOOK_EVERY_MS = 300;

/** Dependencies of the image source. */
export interface ShareContext {
  repositories: Pick<Repositories, 'jobs' | 'jobImages' | 'imageResults'>;
  instanceId: string;
  leaseMs: number;
  /** Monotonic clock, in milliseconds. */
  monotonicNow: () => number;
  outlast: <T>(work: () => Promise<T>) => Promise<T>;
}

/** Creates the source of the images of a job that several servers work on. */
export function sharedSource(
  { job, writer }: LoadedJob,
  tasks: JobTask<JobResult>[],
  { repositories: { jobImages, imageResults }, instanceId, outlast }: ShareContext,
): ImageSource {
  return createBlockSource({
    tasks: new Map(tasks.map((task) => [task.index, task])),
    claim: () => outlast(() => jobImages.take(job._id, instanceId)),
    storedIn: ({ from, images }) =>
      outlast(() =>
        imageResults.findPlaces(
          job._id,
          images.map((_, offset) => from + offset),
        ),
      ),
    async finish(blockId) {
      // The server that ends the job reads the events of all finished blocks.
      await writer.flush();
      await outlast(() => jobImages.finish(blockId, instanceId));
    },
  });
}

/**
 * Works on a job together with other servers, until all of its images have ended, or the signal aborts and no server works on
 * it. Blocks of a server that has not shown itself for the time of a lease are opened again.
 * @param work processes the images that are open, and resolves when there are none left
 */
export async function shareJob(
  jobId: string,
  work: () => Promise<void>,
  signal: AbortSignal,
  context: ShareContext,
): Promise<void> {
  const { repositories, instanceId, outlast } = context;
  const { jobs, jobImages } = repositories;
  const watch = createWatch(context);
  // What this server had taken when its last attempt at the job broke off.
  await outlast(() => jobImages.giveBack(jobId, instanceId));
  await outlast(() => jobImages.open(jobId));
  await outlast(() => jobs.offer(jobId, instanceId, true));
  while (!signal.aborted) {
    await work();
    if (signal.aborted) break;
    const unfinished = await outlast(() => jobImages.findUnfinished(jobId));
    if (unfinished.length === 0) break;
    if (unfinished.some(({ state }) => state === 'open')) continue;
    for (const block of watch.findSilent(unfinished)) await outlast(() => jobImages.reopen(block));
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => {});
  }
  await outlast(() => jobs.offer(jobId, instanceId, false));
  await outlast(() => jobImages.giveBack(jobId, instanceId));
  if (signal.aborted && signal.reason !== 'handover') await waitForOthers(jobId, context);
}

/** Waits until no other server works on a job that is being stopped, since its session may be removed after it. */
export async function waitForOthers(jobId: string, context: ShareContext): Promise<void> {
  const { repositories, outlast } = context;
  const watch = createWatch(context);
  for (;;) {
    const taken = (await outlast(() => repositories.jobImages.findUnfinished(jobId))).filter(
      ({ state }) => state === 'taken',
    );
    const silent = new Set(watch.findSilent(taken));
    if (taken.every((block) => silent.has(block))) return;
    await sleep(LOOK_EVERY_MS);
  }
}

/** Finds blocks whose owner has not shown itself for the time of a lease, by the clock of this process. */
function createWatch({ leaseMs, instanceId, monotonicNow }: ShareContext) {
  const seen = new Map<string, { owner: string | null; beat: number; since: number }>();
  return {
    findSilent(blocks: UnfinishedBlock[]): UnfinishedBlock[] {
      const at = monotonicNow();
      return blocks.filter(({ _id, state, owner, beat }) => {
        const last = seen.get(_id);
        if (last?.owner === owner && last.beat === beat)
          return state === 'taken' && owner !== instanceId && at - last.since > leaseMs;
        seen.set(_id, { owner, beat, since: at });
        return false;
      });
    },
  };
}
