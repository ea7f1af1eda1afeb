import { createCore } from './core.ts';
import type { Flow } from './flow.ts';
import type { Optimizer, OptimizerOptions } from './optimizer-interface.ts';
import { itemsOf } from './review/item-questions.ts';
import { createRuns } from './runs/runs.ts';
import type { SavedState } from './session/saved-types.ts';
import { createSettingsStore } from './session/settings-store.ts';
import { deriveState } from './state-of.ts';
import type { Item, OptimizerState, Phase } from './types.ts';
import { createAdding } from './uploads/add-files.ts';
import { Uploading } from './uploads/uploading.ts';

/** Creates the flow. Nothing is sent, and nothing of the page is touched but its going on- and offline. */
export function createOptimizer(options: OptimizerOptions = {}): Optimizer {
  const core = createCore(options);
  const { store, config, notices, announcer } = core;
  const runs = createRuns(core);
  let flow: Flow | null = null;
  let loading: Promise<Flow> | null = null;
  let disposed = false;

  async function fetchFlow(): Promise<Flow> {
    try {
      const { createFlow } = await import('./flow.ts');
      flow = createFlow(core, runs);
      return flow;
    } catch (cause) {
      loading = null;
      runs.fail(Object.assign(new Error(String(cause)), { code: 'network' }), 'add');
      throw cause;
    }
  }
  /** Everything after the upload comes with the first image. */
  function load(): Promise<Flow> {
    loading ??= fetchFlow();
    return loading;
  }
  /** At once where it is there: nobody should wait for what he types. */
  const withFlowNow = (task: (flow: Flow) => void) => {
    if (flow) task(flow);
    else load().then(task, () => {});
  };

  const uploading = new Uploading(core, {
    onSession: () => withFlowNow(({ persistence }) => persistence.save()),
    editedFields: (id) => flow?.saver.fieldsOf(id) ?? [],
    onUploaded: (item) => withFlowNow(({ uploaded }) => uploaded(item)),
    onIdle() {
      if (!config.autoAnalyze || disposed) return;
      const ids = store.list().flatMap((item) => (item.imageId && !item.analyzed ? [item.id] : []));
      if (ids.length > 0) withFlowNow(({ analyze }) => void analyze(ids));
    },
  });
  const { queue } = uploading;
  const settings = createSettingsStore(core, () => flow?.settingsChanged());
  const adding = createAdding(core, (items) => {
    flow?.exports.forgetOutcome();
    if (config.autoUpload) uploading.upload(items.map(({ id }) => id));
  });
  let told: OptimizerState = 'empty';

  /** Follows from what runs and what is there. */
  const currentState = () => {
    const outcome = flow?.exports.outcome ?? null;
    return deriveState({ store, run: runs.current, uploading: queue.busy, blocked: core.blocked, outcome });
  };

  function update() {
    const previous = told;
    told = currentState();
    if (told !== previous) core.emit('io-state-change', { state: told, previous });
    if (!queue.busy && runs.current === null && core.sessionId !== null) flow?.cost.want(store.counts().toExport);
  }
  core.changes.add(update);
  const stopListening = core.env.online.subscribe(() => {
    announcer.say('online', () => core.t(core.env.online.isOnline() ? 'announce.online' : 'announce.offline'));
    core.touch();
  });

  function take(items: readonly Item[]) {
    const ids = items.map(({ id }) => id);
    uploading.forget(ids);
    flow?.forget(ids);
    adding.forget(items);
    const removed = store.remove(ids);
    if (removed.length > 0) core.emit('io-remove', { items: removed });
  }

  function reset() {
    core.epoch += 1;
    take(store.list());
    flow?.exports.forgetOutcome();
    flow?.cost.outdate();
    notices.drop();
    core.blocked = null;
    core.sessionId = null;
  }

  async function attach(sessionId: string, saved?: SavedState) {
    // What runs in the session that is left goes on at the service.
    runs.leave();
    reset();
    await (await load()).attach(sessionId, saved);
  }

  const withFlow =
    <Args extends unknown[], Value>(method: (flow: Flow) => (...args: Args) => Promise<Value>) =>
    async (...args: Args): Promise<Value> =>
      method(await load())(...args);

  return {
    items: store,
    get state() {
      return currentState();
    },
    get sessionId() {
      return core.sessionId;
    },
    get settings() {
      return core.settings;
    },
    get balance() {
      return core.balance;
    },
    get cost() {
      return flow?.cost.cost ?? null;
    },
    get outcome() {
      return flow?.exports.outcome ?? null;
    },
    get results() {
      return store.list().flatMap(({ result }) => result ?? []);
    },
    get samples() {
      return store.list().flatMap(({ sample }) => sample ?? []);
    },
    get progress() {
      return runs.progress ?? uploading.progress();
    },
    get saving() {
      return flow?.files.downloads.saving ?? null;
    },
    get notices() {
      return notices.list();
    },
    get offline() {
      return !core.env.online.isOnline();
    },
    get paused() {
      return queue.paused;
    },
    get cancelling() {
      return runs.cancelling;
    },
    get canUndo() {
      return flow?.review.canUndo ?? false;
    },
    get canRedo() {
      return flow?.review.canRedo ?? false;
    },
    get filter() {
      return store.filter;
    },
    get counts() {
      return store.counts();
    },
    subscribe: core.changes.add,
    on: core.events.add,
    onAnnounce: announcer.subscribe,
    announce: (text, urgency) => announcer.say(`page ${text}`, text, { assertive: urgency === 'assertive' }),
    configure(changed) {
      core.configure(changed);
      if (changed.settings) settings.set(changed.settings);
    },
    async prepare() {
      if (core.env.online.isOnline()) await load().catch(() => {});
    },
    async addFiles(files, source) {
      const outcome = adding.addFiles(files, source);
      const { added } = await outcome;
      // Files are added whether the rest of the code can be fetched now or not.
      if (added.length > 0) await load().catch(() => {});
      return outcome;
    },
    async addItems(media) {
      const outcome = adding.addItems(media);
      const { added } = await outcome;
      // Files are added whether the rest of the code can be fetched now or not.
      if (added.length > 0) await load().catch(() => {});
      return outcome;
    },
    remove(id) {
      const item = store.get(id);
      if (!item) return;
      take([item]);
      if (item.imageId) flow?.persistence.addRemoved([item.imageId]);
      announcer.say('removed', core.t('announce.removed', { name: item.name }));
    },
    clear() {
      flow?.persistence.clear();
      runs.cancel();
      reset();
    },
    upload() {
      core.blocked = null;
      uploading.upload();
      if (!queue.paused) queue.resume();
      return queue.idle();
    },
    pause() {
      queue.pause();
      core.touch();
    },
    resume() {
      core.blocked = null;
      queue.resume();
      core.touch();
    },
    analyze: withFlow((it) => it.analyze),
    sample: withFlow((it) => it.sample),
    checkCost: withFlow((it) => it.checkCost),
    exportImages: withFlow((it) => it.exports.exportImages),
    cancel() {
      runs.cancel();
      uploading.forget(queue.ids());
      announcer.say('cancel', core.t(runs.cancelling ? 'bar.cancelling' : 'announce.cancelled'));
    },
    async retry(ids) {
      core.blocked = null;
      const it = await load();
      const lost = it.lost();
      if (lost) return attach(lost.sessionId, lost.saved);
      for (const phase of ['upload', 'analyze', 'sample', 'export']) notices.drop(`error-${phase}`);
      if (!queue.paused) queue.resume();
      it.saver.retry();
      const failed = new Map<Phase, string[]>();
      for (const { id, error } of itemsOf(store, ids)) {
        if (error) failed.set(error.phase, [...(failed.get(error.phase) ?? []), id]);
      }
      for (const [phase, own] of failed) {
        if (phase === 'upload') {
          uploading.upload(own);
          await queue.idle();
        } else await it.retry(phase, own);
      }
    },
    setMetadata: (id, field, value) => withFlowNow(({ review }) => review.setMetadata(id, field, value)),
    setDecorative: (id, decorative) => withFlowNow(({ review }) => review.setDecorative(id, decorative)),
    acceptAll: (ids) => withFlowNow(({ review }) => review.acceptAll(ids)),
    undo: () => flow?.review.undo(),
    redo: () => flow?.review.redo(),
    setFilter: store.setFilter,
    setSettings: settings.set,
    download: withFlow((it) => it.files.downloads.download),
    downloadAll: withFlow((it) => it.files.downloads.downloadAll),
    replace: withFlow((it) => it.files.replace),
    preview: withFlow((it) => it.files.preview),
    fetchResult: withFlow((it) => it.files.fetchResult),
    attach: (sessionId) => attach(sessionId),
    getState: () =>
      flow?.persistence.getState() ?? {
        version: 1,
        sessionId: core.sessionId,
        settings: core.settings,
        edits: {},
        order: [],
        removed: [],
      },
    async restore(saved) {
      if (saved.sessionId) await attach(saved.sessionId, saved);
      else settings.set(saved.settings);
    },
    dismiss: notices.drop,
    dispose() {
      disposed = true;
      stopListening();
      runs.leave();
      queue.dispose();
      flow?.dispose();
      core.dispose();
    },
  };
}
