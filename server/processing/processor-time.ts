import { readFileSync } from 'node:fs';

/** Milliseconds a clock tick of /proc/PID/stat, on every Linux that Node runs on. */
const TICK_MS = 10;

/**
 * Starts a stopwatch of the processor time that a process uses; elsewhere than on Linux, of the time that passes.
 * @returns reads the milliseconds since; 0 after the end of the process
 */
export function measureProcessorTime(pid: number): () => number {
  const before = readProcessorTime(pid);
  if (before === undefined) {
    const startedAt = performance.now();
    return () => performance.now() - startedAt;
  }
  return () => Math.max(0, (readProcessorTime(pid) ?? 0) - before);
}

/** Returns the processor time of a process, user and system, in milliseconds; undefined if the kernel does not tell. */
function readProcessorTime(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in brackets may hold spaces and brackets.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  } catch {
    return undefined;
  }
}
