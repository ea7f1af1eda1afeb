import { totalmem } from 'node:os';

const MEGABYTE = 1_000_000;
/** Service with embedded database (measured peak: 180 MB) and the process that reads headers (75 MB). */
const SERVICE_MB = 300;
/** An encoding process at rest (measured: 75 MB) and part of what earlier images needed, which it keeps. */
const WORKER_MB = 150;
/** Least memory for encodes with which one more process is worth its own. */
const ENCODE_MB = 200;
/** Smallest default, one photograph at a time. */
const SMALLEST_MB = 64;

/** Memory that this process and its children may use. */
export interface MemoryLimit {
  /** In megabytes of 1,000,000 bytes. */
  mb: number;
  /** True if a control group (a container, a systemd unit) sets the limit, false if it is the machine's memory. */
  constrained: boolean;
}

/**
 * Returns the limit of the control group, or the machine's memory.
 * @param constrained `process.constrainedMemory()`: 0 or undefined if unknown, and more than the machine has without a limit
 * @param total memory of the machine in bytes
 */
export function memoryLimit(constrained = process.constrainedMemory(), total = totalmem()): MemoryLimit {
  const limited = constrained !== undefined && constrained > 0 && constrained < total;
  return { mb: Math.floor((limited ? constrained : total) / MEGABYTE), constrained: limited };
}

/** Default number of encoding processes: one per core, fewer if memory is small. */
export function defaultWorkers(cores: number, limit = memoryLimit()): number {
  const fitting = Math.floor((shareOf(limit) - SERVICE_MB) / (WORKER_MB + ENCODE_MB));
  return Math.max(1, Math.min(cores, fitting));
}

/** Default megabytes for running encodes: the limit without the service and its processes at rest. */
export function defaultWorkMemoryMb(workers: number, limit = memoryLimit()): number {
  return Math.max(SMALLEST_MB, shareOf(limit) - SERVICE_MB - workers * WORKER_MB);
}

/** Returns the service's share: a container's limit but for a tenth, or half of a machine that other programs use too. */
function shareOf({ mb, constrained }: MemoryLimit): number {
  return Math.floor(mb * (constrained ? 0.9 : 0.5));
}
