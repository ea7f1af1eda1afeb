import { HostError } from './host-error.ts';

/** Hosts with a run in this page, for browsers and pages without locks. */
const running = new Set<string>();

/**
 * Does `work` while no other run of the same host is going on, in this tab or another.
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
    // Pages that are not served by HTTPS have no locks: there one tab does not know of another.
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
