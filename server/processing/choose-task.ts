import { heads, type Turn, type Turns, type Urgency } from './turns.ts';

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

/** A task that does not fit into the free memory may be overtaken this often; then those as urgent wait for it. */
const MAX_OVERTAKINGS = 16;
/** Paid tasks that start in succession before a free one has its turn, if none runs. */
const PAID_IN_A_ROW = 3;
const RANKS: Record<Urgency, number> = { idle: 0, free: 1, paid: 2 };

const urgencyOf = (task: Task): Urgency => (task.slow ? 'idle' : task.turn.urgency());
const rankOf = (task: Task) => RANKS[urgencyOf(task)];

/** Returns the task that starts next; undefined if none fits. */
export function pickNext(state: SchedulerState): Task | undefined {
  const { waiting, running, capacity } = state;
  if (waiting.size === 0 || running.size >= capacity.slots) return undefined;
  const byUrgency: Record<Urgency, Task[]> = { paid: [], free: [], idle: [] };
  for (const task of heads(waiting)) byUrgency[urgencyOf(task)].push(task);
  const starving = byUrgency.free.length > 0 && ![...running].some((task) => urgencyOf(task) === 'free');
  const freeTurn = starving && state.paidInARow >= PAID_IN_A_ROW;
  for (const urgency of freeTurn ? (['free', 'paid'] as const) : (['paid', 'free', 'idle'] as const)) {
    const found = firstThatFits(byUrgency[urgency], state);
    if (found === 'wait') return undefined;
    if (!found) continue;
    state.paidInARow = urgency === 'paid' && byUrgency.free.length > 0 ? state.paidInARow + 1 : 0;
    return found;
  }
  return undefined;
}

/** Returns the first task that fits into the free memory; `wait` if one that was overtaken too often comes before it. */
function firstThatFits(tasks: Task[], state: SchedulerState): Task | 'wait' | undefined {
  const free = state.capacity.memoryBytes - memoryInUse(state);
  const overtaken: Task[] = [];
  for (const task of tasks) {
    if (state.running.size === 0 || task.memoryBytes <= free) {
      for (const other of overtaken) other.overtaken += 1;
      return task;
    }
    if (task.overtaken >= MAX_OVERTAKINGS) return 'wait';
    overtaken.push(task);
  }
  return undefined;
}

/** Returns the running tasks that must stop for a more urgent one; none while others are stopping. */
export function choosePreempted(state: SchedulerState): Task[] {
  const { waiting, running, capacity } = state;
  const active = [...running];
  if (active.some(({ giveWay }) => giveWay.signal.aborted)) return [];
  const urgent = [...heads(waiting)].sort((one, other) => rankOf(other) - rankOf(one))[0];
  if (!urgent || urgencyOf(urgent) === 'idle') return [];
  const reserved = Math.max(1, Math.floor(capacity.slots / 2));
  const paid = active.filter((task) => urgencyOf(task) === 'paid').length;
  const highest = urgencyOf(urgent) === 'paid' && paid < reserved ? RANKS.free : RANKS.idle;
  // The latest to start have the least to lose.
  const victims = active
    .filter((task) => rankOf(task) <= highest && (urgencyOf(task) === 'idle' || task.stops < MOST_STOPS))
    .sort((one, other) => rankOf(one) - rankOf(other) || other.startedAt - one.startedAt);
  let slots = capacity.slots - active.length;
  let memory = capacity.memoryBytes - memoryInUse(state);
  const fits = (stopped: number) => slots > 0 && (urgent.memoryBytes <= memory || stopped === active.length);
  const chosen: Task[] = [];
  for (const victim of victims) {
    if (fits(chosen.length)) break;
    chosen.push(victim);
    slots += 1;
    memory += victim.memoryBytes;
  }
  return fits(chosen.length) ? chosen : [];
}
