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

/** A process that uses less of its time than this stands still: it waits for something that never comes. */
const STANDSTILL = 0.01;
/** Milliseconds between two looks, at least: below that, a pause of the whole machine would seem a standstill. */
const LOOK_MS = 5_000;

/**
 * Calls `onOver` once a process has used `seconds` of processor time by a stopwatch that `measureProcessorTime` started, or has
 * stood still. On a busy machine that takes longer than `seconds` by the clock, never less.
 * @returns cancels the limit
 */
export function limitProcessorTime(usedMs: () => number, seconds: number, onOver: () => void): () => void {
  const limitMs = seconds * 1000;
  let timer: NodeJS.Timeout;
  const wait = (waitMs: number, before: number) => {
    timer = setTimeout(() => {
      const used = usedMs();
      if (used >= limitMs || used - before < waitMs * STANDSTILL) onOver();
      else wait(Math.max(limitMs - used, LOOK_MS), used);
    }, waitMs);
  };
  wait(limitMs, 0);
  return () => clearTimeout(timer);
}
