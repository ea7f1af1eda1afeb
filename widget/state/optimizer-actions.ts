import type { Flow } from './flow.ts';
import type { Optimizer } from './optimizer-interface.ts';
import { loadFlow, type OptimizerParts, removeItems, withFlow } from './optimizer-parts.ts';
import { itemsOf } from './review/item-questions.ts';
import type { SavedState } from './session/saved-types.ts';
import { asChanges } from './session/settings.ts';
import { DRAFT, readKept } from './session/tab-storage.ts';
import type { Phase } from './types.ts';
import { candidateOf } from './uploads/add-files.ts';
import { type Candidate, collectFiles } from './uploads/collect-files.ts';

/** Methods that add, remove and upload images. */
export type UploadActions = Pick<
  Optimizer,
  'prepare' | 'askLimits' | 'addFiles' | 'addItems' | 'remove' | 'clear' | 'upload' | 'pause' | 'resume' | 'cancel'
>;
/** Methods that run at the service, edit texts or hand out files. */
export type FlowActions = Pick<
  Optimizer,
  | 'analyze'
  | 'sample'
  | 'samplePreset'
  | 'checkCost'
  | 'exportImages'
  | 'keepDraft'
  | 'setMetadata'
  | 'setDecorative'
  | 'setFocalPoint'
  | 'setForAll'
  | 'acceptAll'
  | 'undo'
  | 'redo'
  | 'download'
  | 'downloadAll'
  | 'replace'
  | 'preview'
  | 'fetchResult'
  | 'fetchSample'
>;
/** Methods that restore sessions and retry. */
export type SessionActions = Pick<Optimizer, 'retry' | 'renew' | 'attach' | 'recall' | 'getState' | 'restore'>;

/** Creates the methods that add, remove and upload images. */
export function uploadActions(parts: OptimizerParts): UploadActions {
  const { core, runs, uploading, adding } = parts;
  const { queue } = uploading;

  async function add(candidates: readonly Candidate[], source: Parameters<typeof adding.add>[1]) {
    const outcome = await adding.add(candidates, source);
    // Files are added even if the code of the flow cannot be fetched yet.
    if (outcome.added.length > 0) await loadFlow(parts).catch(() => {});
    return outcome;
  }
  return {
    async prepare() {
      if (core.env.online.isOnline()) await loadFlow(parts).catch(() => {});
    },
    askLimits: parts.askLimits,
    addFiles: async (files, source = 'api') => add(await collectFiles(files, source), source),
    addItems: (media) => add(media.map(candidateOf), 'api'),
    remove(...ids) {
      const items = itemsOf(core.store, ids);
      const [item] = items;
      if (!item) return;
      removeItems(parts, items);
      parts.flow?.persistence.addRemoved(items.flatMap(({ imageId }) => imageId ?? []));
      const name = items.length > 1 ? core.t('cost.images', { count: items.length }) : item.name;
      core.announcer.say('removed', core.t('announce.removed', { name }));
    },
    clear() {
      parts.flow?.persistence.clear();
      runs.cancel();
      reset(parts);
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
    cancel() {
      runs.cancel();
      uploading.forget(queue.ids());
      core.announcer.say('cancel', core.t(runs.cancelling ? 'bar.cancelling' : 'announce.cancelled'));
    },
  };
}

/** Creates the methods that run at the service, edit texts or hand out files. */
export function flowActions(parts: OptimizerParts): FlowActions {
  const loaded =
    <Args extends unknown[], Value>(method: (flow: Flow) => (...args: Args) => Promise<Value>) =>
    async (...args: Args): Promise<Value> =>
      method(await loadFlow(parts))(...args);
  return {
    analyze: loaded((it) => it.analyze),
    sample: loaded((it) => it.sample),
    samplePreset: loaded((it) => it.samplePreset),
    checkCost: loaded((it) => it.checkCost),
    exportImages: loaded((it) => it.exports.exportImages),
    keepDraft: (id, field, value) => withFlow(parts, ({ persistence }) => persistence.keepDraft(id, field, value)),
    setMetadata: (id, field, value) => withFlow(parts, ({ review }) => review.setMetadata(id, field, value)),
    setDecorative: (id, decorative) => withFlow(parts, ({ review }) => review.setDecorative(id, decorative)),
    setFocalPoint: (id, point) => withFlow(parts, ({ review }) => review.setFocalPoint(id, point)),
    setForAll: (ids, field, value) => withFlow(parts, ({ review }) => review.setForAll(ids, field, value)),
    acceptAll: (ids) => withFlow(parts, ({ review }) => review.acceptAll(ids)),
    undo: () => parts.flow?.review.step('undo'),
    redo: () => parts.flow?.review.step('redo'),
    download: loaded((it) => it.files.downloads.download),
    downloadAll: loaded((it) => it.files.downloads.downloadAll),
    replace: loaded((it) => it.files.replace),
    preview: loaded((it) => it.files.preview),
    fetchSample: loaded((it) => it.files.fetchSample),
    fetchResult: loaded((it) => it.files.fetchResult),
  };
}

/** Creates the methods that restore sessions and retry. */
export function sessionActions(parts: OptimizerParts): SessionActions {
  const { core, runs, settings } = parts;

  async function attach(sessionId: string, saved?: SavedState) {
    // Jobs of the former session continue at the service.
    runs.leave();
    reset(parts);
    await (await loadFlow(parts)).attachment.attach(sessionId, saved);
  }
  async function restore(saved: SavedState) {
    if (saved.sessionId) return attach(saved.sessionId, saved);
    settings.set(asChanges(saved.settings));
    const items = (await loadFlow(parts)).addLost(saved);
    if (items.length > 0) core.emit('io-add', { items });
  }
  return {
    async recall() {
      const place = { ...core, sessionId: null };
      if (!readKept(place) && !readKept(place, DRAFT)) return;
      const saved = (await loadFlow(parts)).persistence.load(null);
      if (saved) await restore(saved);
    },
    async renew() {
      const flow = await loadFlow(parts);
      runs.leave();
      core.sessionId = null;
      core.blocked = null;
      core.notices.drop();
      flow.loseImages();
      parts.uploading.upload();
      parts.uploading.queue.resume();
    },
    async retry(ids) {
      core.blocked = null;
      const flow = await loadFlow(parts);
      const { failed } = flow.attachment;
      if (failed) return attach(failed.sessionId, failed.saved);
      await retryItems(parts, flow, ids);
    },
    attach: (sessionId) => attach(sessionId),
    getState: () =>
      parts.flow?.persistence.getState() ?? {
        version: 1,
        sessionId: core.sessionId,
        settings: core.settings,
        edits: {},
        order: [],
        removed: [],
      },
    restore,
  };
}

/** Runs the failed phase of each item again. */
async function retryItems({ core, uploading }: OptimizerParts, flow: Flow, ids?: readonly string[]): Promise<void> {
  const { queue } = uploading;
  for (const phase of ['upload', 'analyze', 'sample', 'export']) core.notices.drop(`error-${phase}`);
  if (!queue.paused) queue.resume();
  flow.saver.retry();
  const failed = new Map<Phase, string[]>();
  for (const { id, error } of itemsOf(core.store, ids)) {
    if (error) failed.set(error.phase, [...(failed.get(error.phase) ?? []), id]);
  }
  for (const [phase, own] of failed) {
    if (phase === 'upload') {
      uploading.upload(own);
      await queue.idle();
    } else await flow.retry(phase, own);
  }
}

/** Removes all items and leaves the session. */
function reset(parts: OptimizerParts): void {
  const { core, flow } = parts;
  core.epoch += 1;
  removeItems(parts, core.store.list());
  flow?.exports.forgetOutcome();
  flow?.cost.outdate();
  core.notices.drop();
  core.blocked = null;
  core.sessionId = null;
}
