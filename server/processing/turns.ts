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

/** What the turns need to know of a task. */
export interface Waiting {
  turn: Pick<Turn, 'account' | 'job'>;
}

/** Tasks that wait, by account and job. Maps keep their order: what was served moves to the end. */
export type Turns<Task extends Waiting> = Map<string, Map<string, Task[]>>;

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
export function* heads<Task extends Waiting>(turns: Turns<Task>): Generator<Task> {
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
