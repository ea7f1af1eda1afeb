import { readFileSync } from 'node:fs';

/** Counters of the kernel, of control groups of version 2, of version 1, and of the machine, that hold a line `oom_kill N`. */
const COUNTERS = ['/sys/fs/cgroup/memory.events', '/sys/fs/cgroup/memory/memory.oom_control', '/proc/vmstat'];

/**
 * Counts the processes that the kernel has killed for lack of memory, in the service's control group and on the machine.
 * @returns 0 if no counter can be read
 */
export function countMemoryKills(files: readonly string[] = [...ownCounters(), ...COUNTERS]): number {
  return files.reduce((sum, file) => sum + Number(/^oom_kill (\d+)$/m.exec(read(file))?.[1] ?? 0), 0);
}

/** Counters of a control group that is not the root of this mount, as that of a systemd unit. */
function ownCounters(): string[] {
  return read('/proc/self/cgroup')
    .split('\n')
    .flatMap((line) => {
      const [, controllers, group] = /^\d+:([^:]*):(\/.+)$/.exec(line) ?? [];
      if (controllers === '') return [`/sys/fs/cgroup${group}/memory.events`];
      return controllers?.split(',').includes('memory') ? [`/sys/fs/cgroup/memory${group}/memory.oom_control`] : [];
    });
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
