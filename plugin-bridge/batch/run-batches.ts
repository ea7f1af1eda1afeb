/**
 * Effect of an outcome: `settled` is final; `later` keeps the image and its paid result for the next run; `stops` also ends
 * this run, since no other image could be delivered.
 */
export type Effect = 'settled' | 'later' | 'stops';

/** Records a run, so that it can be resumed after a crash without paying again. */
export interface Journal<Batch, Delivery, Outcome> {
  /** Stores an uploaded batch and its keys. Called before anything is paid. */
  begin(batch: Batch): void | Promise<void>;
  /** Stores the results of an exported batch. Called before the first delivery. */
  exported(batch: Batch): void | Promise<void>;
  /** Stores that a delivery begins, so that the next run recognises one that was completed and not recorded. */
  delivering?(delivery: Delivery): void;
  /** Stores the final outcome of one image. */
  settle(outcome: Outcome): void;
  /** Keeps an image with its paid result for the next run. `stops`: the run ends with it. */
  putOff?(outcome: Outcome, effect: Exclude<Effect, 'settled'>, stops: boolean): void;
}

/** Result of an upload. */
export type Uploaded<Work, Batch> = { batch: Batch } | { split: readonly Work[] } | null;

/** Ports of a run of batches. */
export interface BatchPorts<Work, Batch, Delivery, Outcome> {
  journal: Journal<Batch, Delivery, Outcome>;
  /**
   * Reads and uploads images, and settles refused ones. `split`: too large for one upload; it is sent in halves.
   * Null: no image is left.
   * @throws any error that ends the run
   */
  upload(works: readonly Work[], settle: (outcome: Outcome) => void): Promise<Uploaded<Work, Batch>>;
  /** Exports a batch, or joins its export. Returns null if the service no longer has the batch. */
  export(batch: Batch, settle: (outcome: Outcome) => void): Promise<readonly Delivery[] | null>;
  /** Writes the results of one image to their place. Null: nothing was done. */
  deliver(delivery: Delivery): Promise<Outcome | null>;
  effectOf?(outcome: Outcome): Effect;
  /** Called if the service lost a batch that was just uploaded. */
  onLost?(batch: Batch): void;
  /** True if no further batch may begin; paid results are still delivered. */
  isStopped?(): boolean;
  /** True if nothing further may be done. */
  isAborted?(): boolean;
}

/** A run over the batches of one client. */
export interface BatchRun<Work, Batch, Delivery, Outcome> {
  ports: BatchPorts<Work, Batch, Delivery, Outcome>;
  /** Deliveries in a row that were put off. */
  putOffInARow: number;
}

/** Deliveries put off in a row after which the cause is not one image. */
const MAX_PUT_OFF = 2;

/** Starts a run. */
export function createBatchRun<Work, Batch, Delivery, Outcome>(
  ports: BatchPorts<Work, Batch, Delivery, Outcome>,
): BatchRun<Work, Batch, Delivery, Outcome> {
  return { ports, putOffInARow: 0 };
}

/** Uploads, exports and delivers one batch. @throws any error that ends the run */
export async function makeBatch<Work, Batch, Delivery, Outcome>(
  run: BatchRun<Work, Batch, Delivery, Outcome>,
  works: readonly Work[],
): Promise<void> {
  const { ports } = run;
  const uploaded = await ports.upload(works, (outcome) => settle(run, outcome));
  if (!uploaded) return;
  if ('split' in uploaded) {
    const middle = Math.ceil(uploaded.split.length / 2);
    await makeBatch(run, uploaded.split.slice(0, middle));
    return makeBatch(run, uploaded.split.slice(middle));
  }
  const { batch } = uploaded;
  await ports.journal.begin(batch);
  if (!ports.isStopped?.() && !(await finishBatch(run, batch))) ports.onLost?.(batch);
}

/**
 * Exports and delivers an uploaded batch, of this run or an interrupted one.
 * @returns false if the service no longer has it
 * @throws any error that ends the run
 */
export async function finishBatch<Work, Batch, Delivery, Outcome>(
  run: BatchRun<Work, Batch, Delivery, Outcome>,
  batch: Batch,
): Promise<boolean> {
  const { ports } = run;
  const deliveries = await ports.export(batch, (outcome) => settle(run, outcome));
  await ports.journal.exported(batch);
  for (const delivery of deliveries ?? []) {
    if (ports.isAborted?.()) break;
    ports.journal.delivering?.(delivery);
    const outcome = await ports.deliver(delivery);
    if (outcome && record(run, outcome)) break;
  }
  return deliveries !== null;
}

function settle<Work, Batch, Delivery, Outcome>(run: BatchRun<Work, Batch, Delivery, Outcome>, outcome: Outcome): void {
  run.putOffInARow = 0;
  run.ports.journal.settle(outcome);
}

/** Records the outcome of a delivery. Returns true if no other image should be tried. */
function record<Work, Batch, Delivery, Outcome>(
  run: BatchRun<Work, Batch, Delivery, Outcome>,
  outcome: Outcome,
): boolean {
  const { effectOf, journal } = run.ports;
  const effect = effectOf?.(outcome) ?? 'settled';
  if (effect === 'settled') {
    settle(run, outcome);
    return false;
  }
  run.putOffInARow += 1;
  const stops = effect === 'stops' || run.putOffInARow >= MAX_PUT_OFF;
  journal.putOff?.(outcome, effect, stops);
  return stops;
}
