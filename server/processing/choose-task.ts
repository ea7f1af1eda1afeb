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
  /** Number of times the task was stopped for others. */
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

/** Whose turn a task takes, and how urgent it is. The urgency may change while the task waits or runs. */
export interface Turn {
  /** Accounts take turns. */
  account: string;
  /** The jobs of an account take turns; tasks of a job keep their order. */
  job: string;
  urgency: () => Urgency;
}

/** `idle` gives way to everything else at once; `paid` has room of its own. */
export type Urgency = 'paid' | 'free' | 'idle';

/** Fields of a task that decide its turn. */
interface Waiting {
  turn: Pick<Turn, 'account' | 'job'>;
}

/** Tasks that wait, by account and job. Maps keep their order: what was served moves to the end. */
type Turns<Task extends Waiting> = Map<string, Map<string, Task[]>>;

/** Queues a task behind those of its job, or before them. */
export function enqueue<Task extends Waiting>(turns: Turns<Task>, task: Task, where: 'end' | 'front' = 'end'): void {
  const { account, job } = task.turn;
  const jobs = turns.get(account) ?? new Map<string, Task[]>();
  const queue = jobs.get(job) ?? [];
  if (where === 'end') queue.push(task);
  else queue.unshift(task);
  jobs.set(job, queue);
  turns.set(account, jobs);
}

/** Removes a task and moves its job and its account to the end of the turns. */
export function dequeue<Task extends Waiting>(turns: Turns<Task>, task: Task): void {
  const { account, job } = task.turn;
  const jobs = turns.get(account);
  const queue = jobs?.get(job);
  const index = queue?.indexOf(task) ?? -1;
  if (!jobs || !queue || index < 0) return;
  queue.splice(index, 1);
  jobs.delete(job);
  if (queue.length > 0) jobs.set(job, queue);
  turns.delete(account);
  if (jobs.size > 0) turns.set(account, jobs);
}

/** Yields the first task of each job: of every account the first job, then the second, and so on. */
function* heads<Task extends Waiting>(turns: Turns<Task>): Generator<Task> {
  const rows = [...turns.values()].map((jobs) => [...jobs.values()]);
  for (let round = 0; rows.some((row) => row.length > round); round += 1) {
    for (const row of rows) {
      const head = row[round]?.[0];
      if (head) yield head;
    }
  }
}

/** Yields every task. */
export function* everyTask<Task extends Waiting>(turns: Turns<Task>): Generator<Task> {
  for (const jobs of turns.values()) for (const queue of jobs.values()) yield* queue;
}

/** Counts the tasks of one account, or of all. */
export function countTasks<Task extends Waiting>(turns: Turns<Task>, account?: string): number {
  const counted = account === undefined ? [...turns.values()] : [turns.get(account) ?? new Map<string, Task[]>()];
  return counted.reduce((total, jobs) => [...jobs.values()].reduce((sum, queue) => sum + queue.length, total), 0);
}
