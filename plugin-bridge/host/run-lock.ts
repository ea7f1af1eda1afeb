import { HostError } from './host-error.ts';

/** Ids of hosts with a run in this page. */
const running = new Set<string>();

/**
 * Runs `work` unless another run of the same host is in progress, in this tab or another.
 * @throws HostError `locked`
 */
export async function withRunLock<Result>(
  hostId: string,
  message: string,
  work: () => Promise<Result>,
): Promise<Result> {
  if (running.has(hostId)) throw new HostError('locked', message);
  running.add(hostId);
  try {
    // Pages without HTTPS have no locks: the run of another tab is not seen there.
    const locks = globalThis.navigator?.locks;
    if (!locks) return await work();
    return (await locks.request(`imagewright-run:${hostId}`, { ifAvailable: true }, (lock) => {
      if (!lock) throw new HostError('locked', message);
      return work();
    })) as Result;
  } finally {
    running.delete(hostId);
  }
}
