/** A task that waits for a free process and for memory. */
export interface ScheduledTask<T> {
  /** Tasks of one group (a job) take turns with those of other groups. */
  group: string;
  /** Estimated memory of the task. */
  memoryBytes: number;
  signal?: AbortSignal | undefined;
  execute: () => Promise<T>;
}

/** Admits tasks to a fixed number of processes. */
export interface Scheduler {
  /** Runs a task when its turn comes. Rejects with the signal's reason if that aborts while the task is queued. */
  run<T>(task: ScheduledTask<T>): Promise<T>;
  /** True if a task with this memory estimate would start at once. */
  hasRoom(memoryBytes: number): boolean;
  /** Calls the listener whenever a process becomes free and no task is queued. */
  onIdle(listener: () => void): void;
  stats(): { running: number; queued: number; memoryBytes: number };
  /** Rejects all queued tasks with this reason, and each later one. */
  close(reason: unknown): void;
}

/** Size of a scheduler. */
interface Capacity {
  /** Tasks that run at once. */
  slots: number;
  /** Memory that all running tasks may need by estimate. */
  memoryBytes: number;
}

interface QueuedTask {
  group: string;
  memoryBytes: number;
  /** Number of later tasks that were started before this one. */
  overtaken: number;
  start: () => void;
  reject: (reason: unknown) => void;
}

interface State {
  readonly capacity: Capacity;
  /** Queues by group. Insertion order is the order of turns: a group that was served moves to the end. */
  readonly groups: Map<string, QueuedTask[]>;
  running: number;
  memoryInUse: number;
  closed: { reason: unknown } | undefined;
  onIdle: () => void;
}

// A task that does not fit into the free memory may be overtaken this often; then the others wait for it.
const MAX_OVERTAKINGS = 16;

/**
 * Creates a scheduler. Groups take turns, so that a batch of hundreds does not starve a job of one; tasks of a group keep
 * their order (smallest first leaves the largest for the end, where one process idles: 4 % more time for 40 photographs).
 * A task starts only when its memory fits, and one above the whole budget runs alone.
 */
export function createScheduler(capacity: Capacity): Scheduler {
  const state: State = {
    capacity,
    groups: new Map(),
    running: 0,
    memoryInUse: 0,
    closed: undefined,
    onIdle: () => {},
  };
  return {
    run: (task) => run(state, task),
    hasRoom: (wanted) =>
      state.groups.size === 0 && state.running < capacity.slots && state.memoryInUse + wanted <= capacity.memoryBytes,
    onIdle(listener) {
      state.onIdle = listener;
    },
    stats() {
      const queued = [...state.groups.values()].reduce((total, queue) => total + queue.length, 0);
      return { running: state.running, queued, memoryBytes: state.memoryInUse };
    },
    close(reason) {
      state.closed = { reason };
      const queued = [...state.groups.values()].flat();
      state.groups.clear();
      for (const task of queued) task.reject(reason);
    },
  };
}

function run<T>(state: State, { group, memoryBytes, signal, execute }: ScheduledTask<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    if (state.closed) return reject(state.closed.reason);
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = () => {
      remove(state, queued);
      reject(signal?.reason);
      // Other tasks may have waited behind this one.
      admit(state);
    };
    const stopListening = () => signal?.removeEventListener('abort', onAbort);
    const queued: QueuedTask = {
      group,
      memoryBytes,
      overtaken: 0,
      start() {
        stopListening();
        execute()
          .then(resolve, reject)
          .finally(() => release(state, memoryBytes));
      },
      reject(reason) {
        stopListening();
        reject(reason);
      },
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    insert(state, queued);
    admit(state);
  });
}

/** Starts queued tasks while processes and memory are free. */
function admit(state: State): void {
  while (state.running < state.capacity.slots) {
    const next = pick(state);
    if (!next) return;
    remove(state, next);
    state.running += 1;
    state.memoryInUse += next.memoryBytes;
    next.start();
  }
}

/** Returns the memory and the process of a task that has ended. */
function release(state: State, memoryBytes: number): void {
  state.running -= 1;
  state.memoryInUse -= memoryBytes;
  admit(state);
  if (state.groups.size === 0) state.onIdle();
}

/** Returns the first task, in the order of turns, that fits into the free memory. */
function pick({ groups, running, memoryInUse, capacity }: State): QueuedTask | undefined {
  const overtaken: QueuedTask[] = [];
  for (const queue of groups.values()) {
    const candidate = queue[0];
    if (!candidate) continue;
    if (running === 0 || memoryInUse + candidate.memoryBytes <= capacity.memoryBytes) {
      for (const task of overtaken) task.overtaken += 1;
      return candidate;
    }
    if (candidate.overtaken >= MAX_OVERTAKINGS) return undefined;
    overtaken.push(candidate);
  }
  return undefined;
}

function insert({ groups }: State, task: QueuedTask): void {
  const queue = groups.get(task.group) ?? [];
  queue.push(task);
  groups.set(task.group, queue);
}

/** Removes a task and moves its group to the end of the turns. */
function remove({ groups }: State, task: QueuedTask): void {
  const queue = groups.get(task.group) ?? [];
  const index = queue.indexOf(task);
  if (index < 0) return;
  queue.splice(index, 1);
  groups.delete(task.group);
  if (queue.length > 0) groups.set(task.group, queue);
}
