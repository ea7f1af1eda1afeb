import type { Turn, Turns } from './turns.ts';

/** Size and rules of a scheduler. */
export interface Capacity {
  /** Tasks that run at once. */
  slots: number;
  /** Memory that all running tasks may need by estimate. */
  memoryBytes: number;
  /** Processor time after which a running task is `idle`: others that wait come first. In milliseconds. @default no limit */
  sliceMs?: number;
}

/** A task in the scheduler. */
export interface Task {
  turn: Turn;
  memoryBytes: number;
  /** Number of later tasks that were started before this one because of their memory. */
  overtaken: number;
  /** How often the task was stopped for others. */
  stops: number;
  /** True if the task once ran for longer than a slice. */
  slow: boolean;
  /** Time of the last start, in milliseconds. */
  startedAt: number;
  /** Reads the milliseconds of processor time that the task has used since a process took it. */
  usedMs: () => number;
  /** Stops the running task. */
  giveWay: AbortController;
  start: () => void;
  reject: (reason: unknown) => void;
}

/** State of a scheduler. */
export interface SchedulerState {
  readonly capacity: Capacity;
  readonly waiting: Turns<Task>;
  readonly running: Set<Task>;
  /** Paid tasks that started in succession while others waited. */
  paidInARow: number;
  closed: { reason: unknown } | undefined;
  onIdle: () => void;
  /** Looks again while tasks wait: urgency changes with listeners and with time. */
  timer: NodeJS.Timeout | undefined;
}

/** A slow task that was stopped this often is refused; any other is no longer stopped for paid ones. */
export const MOST_STOPS = 3;

/** Returns the memory that all running tasks need by estimate. */
export function memoryInUse({ running }: Pick<SchedulerState, 'running'>): number {
  return [...running].reduce((total, { memoryBytes }) => total + memoryBytes, 0);
}
