import type { JobResult } from '#contract';
import type { JobImagesRecord } from '../db/index.ts';
import type { JobTask } from './job-kind.ts';

/** Where the work on a job gets its images from. */
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

interface BlockSourceDeps {
  /** Every image of the job, by its place. */
  tasks: Map<number, JobTask<JobResult>>;
  /** Takes the next open block of the job; null if there is none. */
  claim: () => Promise<JobImagesRecord | null>;
  /** Returns the places of a block whose results are stored. */
  storedIn: (block: JobImagesRecord) => Promise<Set<number>>;
  /** Called when every image of a block has ended. */
  finish: (blockId: string) => Promise<void>;
}

/** Takes images from blocks that any server may take: one block at a time, when the last one has no image left to begin. */
export function createBlockSource(deps: BlockSourceDeps): ImageSource {
  const queue: { task: JobTask<JobResult>; blockId: string }[] = [];
  const blockOf = new Map<number, string>();
  const left = new Map<string, number>();
  let claiming: Promise<boolean> | null = null;

  async function claimBlock(): Promise<boolean> {
    const block = await deps.claim();
    if (!block) return false;
    // A block that was taken before may have results of a server that died.
    const stored = block.takes > 1 ? await deps.storedIn(block) : new Set<number>();
    const places = block.images.map((_, offset) => block.from + offset);
    const tasks = places.flatMap((place) => (stored.has(place) ? [] : (deps.tasks.get(place) ?? [])));
    if (tasks.length === 0) await deps.finish(block._id);
    left.set(block._id, tasks.length);
    for (const task of tasks) {
      queue.push({ task, blockId: block._id });
      blockOf.set(task.index, block._id);
    }
    return true;
  }

  return {
    async next() {
      while (queue.length === 0) {
        claiming ??= claimBlock().finally(() => {
          claiming = null;
        });
        if (!(await claiming) && queue.length === 0) return undefined;
      }
      return queue.shift()?.task;
    },

    async ended({ index }) {
      const blockId = blockOf.get(index) ?? '';
      const remaining = (left.get(blockId) ?? 1) - 1;
      left.set(blockId, remaining);
      if (remaining === 0) await deps.finish(blockId);
    },
  };
}
