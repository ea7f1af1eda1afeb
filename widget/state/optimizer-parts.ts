import { type Core, createCore, type OptimizerOptions } from './core.ts';
import type { Flow } from './flow.ts';
import { createRuns, type Runs } from './runs/runs.ts';
import type { SavedState } from './session/saved-types.ts';
import { asChanges } from './session/settings.ts';
import { createSettingsStore } from './session/settings-store.ts';
import { DRAFT, readKept } from './session/tab-storage.ts';
import type { AddSource, Item, OptimizerState } from './types.ts';
import { createAdding } from './uploads/add-files.ts';
import type { Candidate } from './uploads/collect-files.ts';
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
  readonly loadLimits: () => Promise<void>;
  /** Everything after the upload; null until its code is loaded. */
  flow: Flow | null;
  /** The load in progress or done; null before it and after a failed one. */
  loading: Promise<Flow> | null;
  /** Ends the announcements of the online state. */
  readonly stopListening: () => void;
  disposed: boolean;
}

/** Creates the parts of an optimizer and connects them. */
export function createParts(options: OptimizerOptions): OptimizerParts {
  const core = createCore(options);
  const loadLimits = createServiceLimits(core);
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
    loadLimits,
    adding: createAdding(core, loadLimits, (items) => {
      parts.flow?.exports.forgetOutcome();
      if (core.config.autoUpload) parts.uploading.upload(items.map(({ id }) => id));
    }),
    flow: null,
    loading: null,
    stopListening: announceOnline(core),
    disposed: false,
  };
  let emitted: OptimizerState = 'empty';
  core.changes.add(() => {
    const previous = emitted;
    emitted = stateOf(parts);
    if (emitted !== previous) core.emit('io-state-change', { state: emitted, previous });
    requestCost(parts);
  });
  return parts;
}

/** Announces changes of the online state. Returns a function that ends it. */
function announceOnline({ env, announcer, t, touch }: Core): () => void {
  return env.online.subscribe(() => {
    announcer.say('online', () => t(env.online.isOnline() ? 'announce.online' : 'announce.offline'));
    touch();
  });
}

/** Derives the state of the widget from the states of its parts. */
export function stateOf({ core, runs, flow, uploading }: OptimizerParts): OptimizerState {
  const { store, blocked } = core;
  if (runs.current) return runs.current;
  if (blocked) return 'error';
  if (store.size === 0) return 'empty';
  if (uploading.queue.busy) return 'uploading';
  const { toExport, exported } = store.counts();
  return flow?.exports.outcome || (exported > 0 && toExport === 0) ? 'done' : 'ready';
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

/** Opens a session by a task with the epoch of the request. Uploads that begin meanwhile wait for it. */
export function open(parts: OptimizerParts, task: (flow: Flow, epoch: number) => Promise<void>): Promise<void> {
  const { core } = parts;
  const { epoch } = core;
  // Nobody has reached for the picker, and steps are named by what the service can do.
  void parts.loadLimits();
  const opened = loadFlow(parts).then((flow) => task(flow, epoch));
  core.opened = opened.catch(() => {});
  return opened;
}

/** Restores the state that `remember` keeps. Files that are added meanwhile stay. */
export async function recall(parts: OptimizerParts): Promise<void> {
  const place = { ...parts.core, sessionId: null };
  if (!readKept(place) && !readKept(place, DRAFT)) return;
  await open(parts, async (flow, epoch) => {
    const saved = flow.persistence.load(null);
    if (saved) await put(parts, flow, saved, epoch);
  });
}

/** Shows a kept state: its session, or without one its settings and texts. */
export async function put({ core, settings }: OptimizerParts, flow: Flow, saved: SavedState, epoch: number) {
  const { sessionId } = saved;
  if (sessionId) return flow.attachment.attach({ sessionId, saved }, epoch);
  settings.set(asChanges(saved.settings));
  const items = flow.addLost(saved);
  if (items.length > 0) core.emit('io-add', { items });
}

/** Removes items from all parts. */
function removeItems({ core, flow, uploading, adding }: OptimizerParts, items: readonly Item[]): void {
  const ids = items.map(({ id }) => id);
  uploading.forget(ids);
  flow?.forget(ids);
  adding.forget(items);
  const removed = core.store.remove(ids);
  if (removed.length > 0) core.emit('io-remove', { items: removed });
}

/** Removes all items and leaves the session. */
export function reset(parts: OptimizerParts): void {
  const { core, flow } = parts;
  core.epoch += 1;
  removeItems(parts, core.store.list());
  flow?.exports.forgetOutcome();
  flow?.cost.outdate();
  core.notices.drop();
  core.blocked = null;
  core.sessionId = null;
  core.unread = null;
}

/** Adds candidates, and loads the flow for them. */
export async function addCandidates(parts: OptimizerParts, candidates: readonly Candidate[], source: AddSource) {
  const outcome = await parts.adding.add(candidates, source);
  // Files are added even if the code of the flow cannot be fetched yet.
  if (outcome.added.length > 0) await loadFlow(parts).catch(() => {});
  return outcome;
}

/** Removes items of the session, which a reload must not restore, and announces it. */
export function removeByUser(parts: OptimizerParts, items: readonly Item[]): void {
  const { announcer, t } = parts.core;
  const [item] = items;
  if (!item) return;
  removeItems(parts, items);
  parts.flow?.persistence.addRemoved(items.flatMap(({ imageId }) => imageId ?? []));
  const name = items.length > 1 ? t('cost.images', { count: items.length }) : item.name;
  announcer.say('removed', t('announce.removed', { name }));
}

/** Ends timers, requests and subscriptions. */
export function disposeParts(parts: OptimizerParts): void {
  parts.disposed = true;
  parts.stopListening();
  parts.runs.leave();
  parts.uploading.queue.dispose();
  parts.flow?.dispose();
  parts.core.dispose();
}
