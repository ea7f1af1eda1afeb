import { setTimeout as sleep } from 'node:timers/promises';
import type { JobResult } from '#contract';
import type { JobRecord, UnfinishedBlock } from '../db/index.ts';
import type { EventWriter } from './event-log.ts';
import type { JobTask } from './job-kind.ts';
import { type JobsContext, POLL_EVERY_MS } from './jobs-context.ts';

/** Source of the images of a job. */
export interface ImageSource {
  /** Returns the next image; undefined if there is none. */
  next(): Promise<JobTask<JobResult> | undefined>;
  /** Called when an image's result is stored and its last event is queued. */
  ended(task: JobTask<JobResult>): Promise<void>;
}

/** Number of last rounds that are ordered by weight. */
const LAST_ROUNDS = 3;

/** Takes images in order, of the last ones the heaviest first: a large image at the end would leave the other workers idle. */
export function sourceOf(tasks: JobTask<JobResult>[], concurrency: number): ImageSource {
  const queue = [...tasks];
  return {
    async next() {
      if (queue.length === 0 || queue.length > concurrency * LAST_ROUNDS) return queue.shift();
      const weights = queue.map(({ weight = 0 }) => weight);
      return queue.splice(weights.indexOf(Math.max(...weights)), 1)[0];
    },
    async ended() {},
  };
}

/** A job on which several servers work, with the plan of all its images. */
interface SharedJob {
  job: JobRecord;
  tasks: JobTask<JobResult>[];
  writer: EventWriter;
}

/** Takes images from blocks that any server may take: one block at a time, when the last one has no image left to begin. */
export function blockSource({ job, tasks, writer }: SharedJob, context: JobsContext): ImageSource {
  const { repositories, instanceId, outlast } = context;
  const { jobImages, imageResults } = repositories;
  const byIndex = new Map(tasks.map((task) => [task.index, task]));
  const queue: JobTask<JobResult>[] = [];
  /** By the object of this take: a block that is taken again counts its own endings. */
  const blocks = new Map<JobTask<JobResult>, { id: string; left: number }>();
  /** Blocks of this process that are not stored as finished. */
  const held = new Set<string>();
  let taking: Promise<boolean> | null = null;

  async function finish(blockId: string): Promise<void> {
    // The server that ends the job reads the events of all finished blocks.
    await writer.flush();
    await outlast(() => jobImages.finish(blockId, instanceId));
    held.delete(blockId);
  }

  async function takeBlock(): Promise<boolean> {
    const block = await outlast(() => jobImages.take(job._id, instanceId));
    // An outage can lose the answer to a taking, and the block would stay with this process for ever.
    if (!block) return outlast(() => jobImages.release(job._id, instanceId, [...held]));
    held.add(block._id);
    const indexes = block.images.map((_, offset) => block.from + offset);
    // Of another server that died, or of the work on the whole job before.
    const mayHaveResults = block.takes > 1 || job.attempts > 0;
    const stored = mayHaveResults ? await outlast(() => imageResults.findIndexes(job._id, indexes)) : new Set();
    const open = indexes.flatMap((index) => (stored.has(index) ? [] : (byIndex.get(index) ?? [])));
    const taken = open.map((task) => ({ ...task }));
    if (taken.length === 0) await finish(block._id);
    const state = { id: block._id, left: taken.length };
    for (const task of taken) blocks.set(task, state);
    queue.push(...taken);
    return true;
  }

  return {
    async next() {
      while (queue.length === 0) {
        taking ??= takeBlock().finally(() => {
          taking = null;
        });
        if (!(await taking) && queue.length === 0) return undefined;
      }
      return queue.shift();
    },

    async ended(task) {
      const block = blocks.get(task);
      if (!block) return;
      blocks.delete(task);
      block.left -= 1;
      if (block.left === 0) await finish(block.id);
    },
  };
}

/**
 * Works on a job together with other servers, until all of its images have ended, or the signal aborts and no server works on it.
 * Blocks of a server that has not shown itself for the time of a lease are opened again.
 * @param work processes the images that are open, and resolves when there are none left
 * @returns false if this process is to hand its jobs over while others work on it
 */
export async function shareJob(
  jobId: string,
  work: () => Promise<void>,
  signal: AbortSignal,
  context: JobsContext,
): Promise<boolean> {
  const { repositories, instanceId, outlast } = context;
  const { jobs, jobImages } = repositories;
  const findSilent = watchBlocks(context);
  // Blocks that this server held when its last attempt at the job failed.
  await outlast(() => jobImages.giveBack(jobId, instanceId));
  await outlast(() => jobs.offer(jobId, instanceId, true));
  while (!signal.aborted) {
    await work();
    if (signal.aborted) break;
    const unfinished = await outlast(() => jobImages.findUnfinished(jobId));
    if (unfinished.length === 0) {
      await outlast(() => jobs.offer(jobId, instanceId, false));
      return true;
    }
    if (unfinished.some(({ state }) => state === 'open')) continue;
    for (const block of findSilent(unfinished)) await outlast(() => jobImages.reopen(block));
    await sleep(POLL_EVERY_MS, undefined, { signal }).catch(() => {});
  }
  await outlast(() => jobs.offer(jobId, instanceId, false));
  await outlast(() => jobImages.giveBack(jobId, instanceId));
  return signal.reason === 'handover' || waitForOthers(jobId, context);
}

/**
 * Waits until no other server works on a job that is being stopped, since its session may be removed after it.
 * @returns false if this process is to hand its jobs over before
 */
export async function waitForOthers(jobId: string, context: JobsContext): Promise<boolean> {
  const { repositories, outlast, leaving } = context;
  const findSilent = watchBlocks(context);
  while (!leaving.signal.aborted) {
    const unfinished = await outlast(() => repositories.jobImages.findUnfinished(jobId));
    const taken = unfinished.filter(({ state }) => state === 'taken');
    if (findSilent(taken).length === taken.length) return true;
    await sleep(POLL_EVERY_MS, undefined, { signal: leaving.signal }).catch(() => {});
  }
  return false;
}

/** Returns a search for taken blocks whose owner has not shown itself for the time of a lease, by the clock of this process. */
function watchBlocks({ leaseMs, instanceId, monotonicNow }: JobsContext) {
  const seen = new Map<string, { owner: string | null; beat: number; since: number }>();
  return (blocks: UnfinishedBlock[]): UnfinishedBlock[] => {
    const at = monotonicNow();
    return blocks.filter(({ _id, owner, beat }) => {
      const last = seen.get(_id);
      if (last?.owner === owner && last.beat === beat) return owner !== instanceId && at - last.since > leaseMs;
      seen.set(_id, { owner, beat, since: at });
      return false;
    });
  };
}
