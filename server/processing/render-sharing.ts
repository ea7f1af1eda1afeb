import { createGathering } from './all-or-none.ts';
import type { Lane, LaneTask } from './lane.ts';
import type { RenderReport, RenderTask } from './shared/protocol.ts';

/** A render for the lane; its `task` changes when variants are given away, so that a retry makes what is left. */
export interface RenderWork extends Omit<LaneTask, 'task' | 'signal' | 'connect' | 'onLeft'> {
  task: RenderTask;
}

/** Runs renders so that no process idles while another one has variants of an image waiting. */
export interface RenderSharing {
  /** Renders the variants in one process, or in several when there are idle ones; all or none. */
  run(work: RenderWork, signal: AbortSignal | undefined): Promise<RenderReport[]>;
}

/** A part of a render that a process works on. */
interface Share {
  work: RenderWork;
  /** Asks the process to leave some of its variants. */
  ask: () => void;
  /** No answer yet, or it has nothing to give. */
  closed: boolean;
}

// The other images of a batch come within moments of each other: only then it shows who is really idle.
const SETTLING_MS = 15;

/** Creates the sharing of a lane's renders. */
export function createRenderSharing(lane: Pick<Lane, 'run' | 'hasRoom' | 'onIdle'>): RenderSharing {
  const shares = new Set<Share>();
  let timer: NodeJS.Timeout | undefined;

  function look(): void {
    if (timer || shares.size === 0) return;
    timer = setTimeout(() => {
      timer = undefined;
      const open = [...shares].filter(({ closed, work }) => !closed && lane.hasRoom(work.memoryBytes));
      const [fullest] = open.sort((one, other) => other.work.task.variants.length - one.work.task.variants.length);
      if (!fullest) return;
      fullest.closed = true;
      fullest.ask();
    }, SETTLING_MS).unref();
  }
  lane.onIdle(look);

  return {
    async run(work, signal) {
      const gathering = createGathering<RenderReport[]>(signal);

      function start(mine: RenderWork): void {
        let share: Share | undefined;
        gathering.add(async (shareSignal) => {
          try {
            return await lane.run<RenderReport[]>({
              ...mine,
              signal: shareSignal,
              connect(ask) {
                if (share) shares.delete(share);
                share = undefined;
                if (!ask || mine.task.variants.length < 2) return;
                share = { work: mine, ask, closed: false };
                shares.add(share);
                look();
              },
              onLeft(names) {
                // Another one may have something to give.
                if (names.length === 0) return look();
                const left = mine.task.variants.filter(({ name }) => names.includes(name));
                mine.task.variants = mine.task.variants.filter(({ name }) => !names.includes(name));
                if (share) share.closed = false;
                start({ ...mine, task: { ...mine.task, variants: left } });
              },
            });
          } finally {
            if (share) shares.delete(share);
          }
        });
      }

      start(work);
      return (await gathering.all).flat();
    },
  };
}
