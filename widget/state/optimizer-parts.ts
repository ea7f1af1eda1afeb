import { type Core, createCore } from './core.ts';
import type { Flow } from './flow.ts';
import type { OptimizerOptions } from './optimizer-interface.ts';
import { createRuns, type Runs } from './runs/runs.ts';
import { createSettingsStore } from './session/settings-store.ts';
import { deriveState } from './state-of.ts';
import type { Item, OptimizerState } from './types.ts';
import { createAdding } from './uploads/add-files.ts';
import { createServiceLimits } from './uploads/service-limits.ts';
import { Uploading } from './uploads/uploading.ts';

/** The parts of an optimizer. */
export interface OptimizerParts {
  readonly core: Core;
  readonly runs: Runs;
  readonly uploading: Uploading;
  readonly settings: ReturnType<typeof createSettingsStore>;
  readonly adding: ReturnType<typeof createAdding>;
  /** Asks the service for its limits, once. */
  readonly askLimits: () => Promise<void>;
  /** Everything after the upload; null until its code is loaded. */
  flow: Flow | null;
  /** The load in progress or done; null before it and after a failed one. */
  loading: Promise<Flow> | null;
  disposed: boolean;
}

/** Creates the parts of an optimizer and connects them. */
export function createParts(options: OptimizerOptions): OptimizerParts {
  const core = createCore(options);
  const askLimits = createServiceLimits(core);
  const parts: OptimizerParts = {
    core,
    runs: createRuns(core),
    uploading: new Uploading(core, {
      onSession: () => withFlow(parts, ({ persistence }) => persistence.save()),
      editedFields: (id) => parts.flow?.saver.fieldsOf(id) ?? [],
      onUploaded: (item) => withFlow(parts, ({ uploaded }) => uploaded(item)),
      onIdle() {
        if (!core.config.autoAnalyze || parts.disposed) return;
        const ids = core.store.list().flatMap((item) => (item.imageId && !item.analyzed ? [item.id] : []));
        if (ids.length > 0) withFlow(parts, ({ analyze }) => void analyze(ids));
      },
    }),
    settings: createSettingsStore(core, () => parts.flow?.settingsChanged()),
    askLimits,
    adding: createAdding(core, askLimits, (items) => {
      parts.flow?.exports.forgetOutcome();
      if (core.config.autoUpload) parts.uploading.upload(items.map(({ id }) => id));
    }),
    flow: null,
    loading: null,
    disposed: false,
  };
  let emitted: OptimizerState = 'empty';
  core.changes.add(() => {
    const previous = emitted;
    emitted = currentState(parts);
    if (emitted !== previous) core.emit('io-state-change', { state: emitted, previous });
    requestCost(parts);
  });
  return parts;
}

/** Returns the present state of the widget. */
export function currentState({ core, runs, flow, uploading }: OptimizerParts): OptimizerState {
  const { store, blocked } = core;
  const outcome = flow?.exports.outcome ?? null;
  return deriveState({ store, run: runs.current, uploading: uploading.queue.busy, blocked, outcome });
}

/** Requests the price of the next export, unless something runs. */
function requestCost({ core, runs, flow, uploading }: OptimizerParts): void {
  if (!uploading.queue.busy && runs.current === null && core.sessionId !== null) {
    flow?.cost.want(core.store.counts().toExport);
  }
}

/** Loads the code of everything after the upload, once. Rejects, after an `io-error`, if it cannot be fetched. */
export function loadFlow(parts: OptimizerParts): Promise<Flow> {
  parts.loading ??= fetchFlow(parts);
  return parts.loading;
}

async function fetchFlow(parts: OptimizerParts): Promise<Flow> {
  const { core, runs } = parts;
  try {
    const { createFlow } = await import('./flow.ts');
    parts.flow = createFlow(core, runs);
    return parts.flow;
  } catch (cause) {
    parts.loading = null;
    runs.fail(Object.assign(new Error(String(cause)), { code: 'network' }), 'add');
    throw cause;
  }
}

/** Runs the task at once if the flow is loaded, so that edits appear without a delay; else after loading it. */
export function withFlow(parts: OptimizerParts, task: (flow: Flow) => void): void {
  if (parts.flow) task(parts.flow);
  else loadFlow(parts).then(task, () => {});
}

/** Removes items from all parts. */
export function removeItems({ core, flow, uploading, adding }: OptimizerParts, items: readonly Item[]): void {
  const ids = items.map(({ id }) => id);
  uploading.forget(ids);
  flow?.forget(ids);
  adding.forget(items);
  const removed = core.store.remove(ids);
  if (removed.length > 0) core.emit('io-remove', { items: removed });
}
