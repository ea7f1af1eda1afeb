import type { RenderReport, RenderTask } from './shared/protocol.ts';
import { createTaskGroup } from './task-group.ts';
import type { QueuedTask, WorkerQueue } from './worker-queue.ts';

/** A render for the worker queue; yielded variants are removed from its `task`, so that a retry skips them. */
export interface RenderWork extends Omit<QueuedTask, 'task' | 'signal' | 'connect' | 'onYielded'> {
  task: RenderTask;
}

/** Runs renders so that no process idles while another has variants of an image queued. */
export interface WorkStealing {
  /** Renders the variants in one process, or in several if some are idle; all succeed or none. */
  run(work: RenderWork, signal: AbortSignal | undefined): Promise<RenderReport[]>;
}

/** The part of a render that one process works on. */
interface Share {
  work: RenderWork;
  /** Requests that the process yields some of its variants. */
  requestYield: () => void;
  /** True while a request is unanswered, or if the process has nothing to yield. */
  closed: boolean;
}

// The images of a batch arrive within milliseconds of each other; before that an idle process may still get its own image.
const SETTLING_MS = 15;

/** Creates work stealing between the renders of a worker queue. */
export function createWorkStealing(queue: Pick<WorkerQueue, 'run' | 'hasRoom' | 'onIdle'>): WorkStealing {
  const shares = new Set<Share>();
  let timer: NodeJS.Timeout | undefined;

  function scheduleSteal(): void {
    if (timer || shares.size === 0) return;
    timer = setTimeout(() => {
      timer = undefined;
      const open = [...shares].filter(({ closed, work }) => !closed && queue.hasRoom(work.memoryBytes));
      const [fullest] = open.sort((one, other) => other.work.task.variants.length - one.work.task.variants.length);
      if (!fullest) return;
      fullest.closed = true;
      fullest.requestYield();
    }, SETTLING_MS).unref();
  }
  queue.onIdle(scheduleSteal);

  return {
    async run(work, signal) {
      const taskGroup = createTaskGroup<RenderReport[]>(signal);

      function start(own: RenderWork): void {
        let share: Share | undefined;
        taskGroup.add(async (shareSignal) => {
          try {
            return await queue.run<RenderReport[]>({
              ...own,
              signal: shareSignal,
              connect(requestYield) {
                if (share) shares.delete(share);
                share = undefined;
                if (!requestYield || own.task.variants.length < 2) return;
                share = { work: own, requestYield, closed: false };
                shares.add(share);
                scheduleSteal();
              },
              onYielded(names) {
                // Another process may have variants to yield.
                if (names.length === 0) return scheduleSteal();
                const yielded = own.task.variants.filter(({ name }) => names.includes(name));
                own.task.variants = own.task.variants.filter(({ name }) => !names.includes(name));
                if (share) share.closed = false;
                start({ ...own, task: { ...own.task, variants: yielded } });
              },
            });
          } finally {
            if (share) shares.delete(share);
          }
        });
      }

      start(work);
      return (await taskGroup.all).flat();
    },
  };
}
