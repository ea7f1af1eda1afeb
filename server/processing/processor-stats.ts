import type { Queues } from './queues.ts';

/** Load of a queue: running and waiting tasks. */
interface QueueLoad {
  busy: number;
  queued: number;
}

/** Load of a processor; `busy`, `queued`, `memoryBytes` and `pids` are those of both queues. */
export interface ProcessorStats extends QueueLoad {
  workers: number;
  memoryBytes: number;
  pids: number[];
  queues: Record<'encoding' | 'probing', QueueLoad>;
}

const NO_LOAD = { busy: 0, queued: 0, memoryBytes: 0, pids: [] };

/** Returns the load of a processor. @param queues undefined before the start and after the end */
export function statsOf(workers: number, queues: Queues | undefined): ProcessorStats {
  const encoding = queues?.encoding.stats() ?? NO_LOAD;
  const probing = queues?.probing.stats() ?? NO_LOAD;
  return {
    workers,
    busy: encoding.busy + probing.busy,
    queued: encoding.queued + probing.queued,
    memoryBytes: encoding.memoryBytes + probing.memoryBytes,
    pids: [...encoding.pids, ...probing.pids],
    queues: { encoding, probing },
  };
}
