import {
  type Capacity,
  choosePreempted,
  countTasks,
  dequeue,
  enqueue,
  everyTask,
  MOST_STOPS,
  memoryInUse,
  pickNext,
  type SchedulerState,
  type Task,
  type Turn,
} from './choose-task.ts';

/** A task that waits for a free process and for memory. */
export interface ScheduledTask<T> {
  turn: Turn;
  /** Estimated memory of the task. */
  memoryBytes: number;
  signal?: AbortSignal | undefined;
  /**
   * Does the work. After an abort of `givesWay` it must stop and reject with the signal's reason; it is called again when
   * its turn comes.
   * @param onTaken receives a stopwatch once a process has taken the task; the slice is measured by it
   */
  execute: (givesWay: AbortSignal, onTaken: (usedMs: () => number) => void) => Promise<T>;
}

/** A slow task was stopped for the sake of others, repeatedly. */
export class GaveWayTooOften extends Error {}

const LOOK_AGAIN_MS = 200;

/**
 * Creates a scheduler, which admits tasks to a fixed number of processes. Accounts take turns, then the jobs of an account;
 * tasks of a job keep their order (smallest first leaves the largest for the end, where one process idles: 4 % more time for
 * 40 photographs). A task starts only when its memory fits, and one above the whole budget runs alone. Paid tasks come first;
 * one of four turns is for a free task if none runs. Free tasks are stopped and begun again later if paid ones hold less than
 * half of the processes, idle ones for any other.
 */
export function createScheduler(capacity: Capacity) {
  const state: SchedulerState = {
    capacity,
    waiting: new Map(),
    running: new Set(),
    paidInARow: 0,
    closed: undefined,
    onIdle: () => {},
    timer: undefined,
  };
  return {
    /**
     * Runs a task when its turn comes. Rejects with the signal's reason if that aborts while the task is queued.
     * @throws GaveWayTooOften
     */
    run: <T>(task: ScheduledTask<T>): Promise<T> => run(state, task),

    /** Returns true if a task with this memory estimate would start at once. */
    hasRoom: (wanted: number): boolean =>
      state.waiting.size === 0 &&
      state.running.size < capacity.slots &&
      memoryInUse(state) + wanted <= capacity.memoryBytes,

    /** Calls the listener whenever a process becomes free and no task is queued. */
    onIdle(listener: () => void): void {
      state.onIdle = listener;
    },

    /** Counts the queued tasks of an account. */
    queuedOf: (account: string): number => countTasks(state.waiting, account),

    stats: () => ({
      running: state.running.size,
      queued: countTasks(state.waiting),
      memoryBytes: memoryInUse(state),
    }),

    /** Rejects all queued tasks with this reason, and each later one. */
    close(reason: unknown): void {
      state.closed = { reason };
      clearTimeout(state.timer);
      const queued = [...everyTask(state.waiting)];
      state.waiting.clear();
      for (const task of queued) task.reject(reason);
    },
  };
}

/** Admits tasks to a fixed number of processes. */
export type Scheduler = ReturnType<typeof createScheduler>;

function run<T>(state: SchedulerState, { turn, memoryBytes, signal, execute }: ScheduledTask<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    if (state.closed) return reject(state.closed.reason);
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = () => {
      // A running task follows the signal itself.
      if (state.running.has(task)) return;
      dequeue(state.waiting, task);
      reject(signal?.reason);
      // Other tasks may have waited behind this one.
      admit(state);
    };
    const settle = (end: () => void) => {
      signal?.removeEventListener('abort', onAbort);
      end();
    };
    const task: Task = {
      turn,
      memoryBytes,
      overtaken: 0,
      stops: 0,
      slow: false,
      startedAt: 0,
      usedMs: () => 0,
      giveWay: new AbortController(),
      start() {
        const { giveWay } = task;
        execute(giveWay.signal, (usedMs) => {
          task.usedMs = usedMs;
        })
          .finally(() => state.running.delete(task))
          .then(
            (value) => settle(() => resolve(value)),
            (error) => {
              if (signal?.aborted) return settle(() => reject(signal.reason));
              const stopped = error === giveWay.signal.reason && giveWay.signal.aborted;
              if (!stopped || !queueAgain(state, task)) settle(() => reject(error));
            },
          )
          .finally(() => released(state));
      },
      reject: (reason) => settle(() => reject(reason)),
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    enqueue(state.waiting, task);
    admit(state);
  });
}

/** Queues a task that gave way before the others of its job. Returns false if it may not wait any longer. */
function queueAgain(state: SchedulerState, task: Task): boolean {
  task.stops += 1;
  task.giveWay = new AbortController();
  if (state.closed || (task.slow && task.stops >= MOST_STOPS)) return false;
  enqueue(state.waiting, task, 'front');
  return true;
}

/** Starts queued tasks while processes and memory are free, and makes room for urgent ones. */
function admit(state: SchedulerState): void {
  clearTimeout(state.timer);
  markSlow(state);
  for (let next = pickNext(state); next; next = pickNext(state)) {
    dequeue(state.waiting, next);
    state.running.add(next);
    next.startedAt = performance.now();
    next.usedMs = () => 0;
    next.start();
  }
  if (state.waiting.size === 0 || state.closed) return;
  for (const task of choosePreempted(state)) task.giveWay.abort(new GaveWayTooOften());
  state.timer = setTimeout(() => admit(state), LOOK_AGAIN_MS).unref();
}

function markSlow({ capacity: { sliceMs = Number.POSITIVE_INFINITY }, running }: SchedulerState): void {
  for (const task of running) task.slow ||= task.usedMs() > sliceMs;
}

function released(state: SchedulerState): void {
  admit(state);
  if (state.waiting.size === 0) state.onIdle();
}
