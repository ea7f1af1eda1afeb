import type { Core } from '../core.ts';
import { createDebounce } from '../debounce.ts';
import type { ItemMetadata } from '../types.ts';
import type { SavedState } from './saved-types.ts';

const keyOf = (sessionId: string) => `imagewright:${sessionId}`;

/** Delay of saving data that the server can provide again, in milliseconds. */
const CALM_MS = 500;

/** Parts of the saved state that others keep. */
export interface SavedParts {
  edits(): SavedState['edits'];
}

/** Keeps what a reload must not lose and the server does not have: edits on their way, removals, settings. */
export function createPersistence(core: Core, parts: SavedParts) {
  let removed: readonly string[] = [];

  const getState = (): SavedState => ({
    version: 1,
    sessionId: core.sessionId,
    settings: core.settings,
    edits: parts.edits(),
    order: core.store.list().flatMap(({ imageId }) => imageId ?? []),
    removed,
  });

  function save() {
    const { sessionId } = core;
    if (!sessionId) return;
    try {
      core.env.storage?.setItem(keyOf(sessionId), JSON.stringify(getState()));
    } catch {
      // The storage is full or blocked: a reload then restores only what the server has.
    }
  }

  const delayedSave = createDebounce(core.env, save);

  return {
    getState,
    save,
    /** Saves with what else changes within half a second. */
    scheduleSave: () => delayedSave.schedule(CALM_MS),
    /** Returns the saved data of a session; null if there is none or it is unreadable. */
    load(sessionId: string): SavedState | null {
      try {
        return asSavedState(JSON.parse(core.env.storage?.getItem(keyOf(sessionId)) ?? 'null'));
      } catch {
        return null;
      }
    },
    /** Takes over what was kept elsewhere. */
    adopt(state: SavedState) {
      removed = state.removed;
    },
    removed: () => removed,
    addRemoved(imageIds: readonly string[]) {
      if (imageIds.length === 0) return;
      removed = [...removed, ...imageIds];
      save();
    },
    /** Forgets all of the session. */
    clear() {
      delayedSave.cancel();
      removed = [];
      try {
        if (core.sessionId) core.env.storage?.removeItem(keyOf(core.sessionId));
      } catch {
        // As in save().
      }
    },
    dispose: delayedSave.cancel,
  };
}

/** The saved state. */
export type Persistence = ReturnType<typeof createPersistence>;

/** A saved state in the form of this version, or null. */
function asSavedState(value: unknown): SavedState | null {
  const state = value as Partial<SavedState> | null;
  if (typeof state !== 'object' || state?.version !== 1) return null;
  const { sessionId = null, settings, edits = {}, order = [], removed = [] } = state;
  if (typeof settings !== 'object') return null;
  const texts = edits as { [id: string]: Partial<ItemMetadata> };
  return { version: 1, sessionId, settings, edits: texts, order, removed };
}
