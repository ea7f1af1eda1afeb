import type { Optimizer } from './optimizer-interface.ts';
import { currentState, type OptimizerParts } from './optimizer-parts.ts';
import { isUnsaved } from './review/item-questions.ts';

type ViewName =
  | 'state'
  | 'sessionId'
  | 'settings'
  | 'balance'
  | 'limits'
  | 'unsaved'
  | 'cost'
  | 'outcome'
  | 'results'
  | 'samples'
  | 'progress';
type MoreViewNames =
  | 'saving'
  | 'notices'
  | 'offline'
  | 'paused'
  | 'cancelling'
  | 'canUndo'
  | 'canRedo'
  | 'filter'
  | 'query';

/** Creates the readable properties of an optimizer, as getters. */
export function createView(parts: OptimizerParts): Pick<Optimizer, ViewName | MoreViewNames | 'counts'> {
  const { core, runs, uploading } = parts;
  return {
    get state() {
      return currentState(parts);
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
    get limits() {
      return core.limits;
    },
    get unsaved() {
      return parts.flow?.persistence.drafting || core.store.list().some(isUnsaved);
    },
    get cost() {
      return parts.flow?.cost.cost ?? null;
    },
    get outcome() {
      return parts.flow?.exports.outcome ?? null;
    },
    get results() {
      return core.store.list().flatMap(({ result }) => result ?? []);
    },
    get samples() {
      return core.store.list().flatMap(({ sample }) => sample ?? []);
    },
    get progress() {
      return runs.progress ?? uploading.progress();
    },
    get saving() {
      return parts.flow?.files.downloads.saving ?? null;
    },
    get notices() {
      return core.notices.list();
    },
    get offline() {
      return !core.env.online.isOnline();
    },
    get paused() {
      return uploading.queue.paused;
    },
    get cancelling() {
      return runs.cancelling;
    },
    get canUndo() {
      return parts.flow?.review.canUndo() ?? false;
    },
    get canRedo() {
      return parts.flow?.review.canRedo() ?? false;
    },
    get filter() {
      return core.store.filter;
    },
    get query() {
      return core.store.query;
    },
    get counts() {
      return core.store.counts();
    },
  };
}
