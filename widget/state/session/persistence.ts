import type { Core } from '../core.ts';
import { createDebounce } from '../debounce.ts';
import type { EditableField, Item } from '../types.ts';
import type { SavedItem, SavedState } from './saved-types.ts';
import { DRAFT, keep, readKept } from './tab-storage.ts';

/** Delay of saving data that the server can provide again, in milliseconds. */
const CALM_MS = 500;

/** Parts of the saved state that others keep. */
export interface SavedParts {
  edits(): SavedState['edits'];
}

/** A text that was being typed. */
type Draft = SavedItem & { field: EditableField };

/** Keeps what a reload or crash must not lose and the server may not have: texts, removals, settings. */
export function createPersistence(core: Core, parts: SavedParts) {
  let removed: readonly string[] = [];
  let drafting = false;

  const getState = (): SavedState => ({
    version: 1,
    sessionId: core.sessionId,
    settings: core.settings,
    edits: parts.edits(),
    ...listOf(core.store.list()),
    removed,
  });

  const save = () => keep(core, getState());

  function endDraft() {
    if (!drafting) return;
    drafting = false;
    keep(core, null, DRAFT);
    core.touch();
  }

  const delayedSave = createDebounce(core.env, save);

  return {
    getState,
    save,
    /** True while a text is being typed that is not part of the state yet. */
    get drafting() {
      return drafting;
    },
    /** Saves with what else changes within half a second. */
    scheduleSave: () => delayedSave.schedule(CALM_MS),
    /** Keeps the text that is being typed; null: it is finished. */
    keepDraft(id: string, field: EditableField, value: string | null) {
      const item = core.store.get(id);
      if (!item || value === null || value === (item.metadata[field] ?? '')) return endDraft();
      drafting = true;
      core.touch();
      const origins = { ...item.origins, [field]: 'user' };
      const metadata = { ...item.metadata, [field]: value };
      keep(core, { ...savedItem(item), field, metadata, origins }, DRAFT);
    },
    /** Returns the saved data of a session, or with null the remembered data; null if there is none or it is unreadable. */
    load(sessionId: string | null): SavedState | null {
      const place = { ...core, sessionId };
      const draft = readKept(place, DRAFT) as Draft | null;
      const known = asSavedState(readKept(place)) ?? (draft && { ...getState(), sessionId });
      if (!known || (sessionId && known.sessionId !== sessionId)) return null;
      return draft ? withDraft(known, draft) : known;
    },
    /** Takes over what was kept elsewhere. */
    adopt(state: SavedState) {
      removed = state.removed;
    },
    removed: () => removed,
    addRemoved(imageIds: readonly string[]) {
      removed = [...removed, ...imageIds];
      save();
    },
    /** Forgets all of the session. */
    clear() {
      delayedSave.cancel();
      removed = [];
      endDraft();
      keep(core, null);
    },
    dispose: delayedSave.cancel,
  };
}

/** The saved state. */
export type Persistence = ReturnType<typeof createPersistence>;

const listOf = (items: readonly Item[]) => ({
  order: items.flatMap(({ imageId }) => imageId ?? []),
  items: items.filter(hasTexts).map(savedItem),
  points: Object.fromEntries(
    items.flatMap(({ imageId, focalPoint }) => (imageId && focalPoint ? [[imageId, focalPoint]] : [])),
  ),
});

/** True for texts that cost a person or a model work. */
const hasTexts = ({ origins }: Item) => Object.values(origins).some((origin) => origin === 'user' || origin === 'ai');

function savedItem({ imageId, clientRef, name, relativePath, size, metadata, origins }: Item): SavedItem {
  return { imageId, clientRef, name, relativePath, size, metadata, origins };
}

/** True if both are the same image. */
const isSameImage = (one: SavedItem, other: Pick<SavedItem, 'imageId' | 'name' | 'size'>) =>
  one.imageId || other.imageId ? one.imageId === other.imageId : one.name === other.name && one.size === other.size;

/** Adds the text that was being typed. */
function withDraft(state: SavedState, { field, ...item }: Draft): SavedState {
  const { imageId } = item;
  const others = state.items?.filter((each) => !isSameImage(each, item)) ?? [];
  const edits = imageId
    ? { ...state.edits, [imageId]: { ...state.edits[imageId], [field]: item.metadata[field] } }
    : state.edits;
  return { ...state, edits, items: [...others, item] };
}

/** A saved state in the form of this version, or null. */
function asSavedState(value: unknown): SavedState | null {
  const state = value as Partial<SavedState> | null;
  if (typeof state !== 'object' || state?.version !== 1) return null;
  const { sessionId = null, settings, edits = {}, order = [], items = [], points, removed = [] } = state;
  if (typeof settings !== 'object') return null;
  const texts = edits as SavedState['edits'];
  return { version: 1, sessionId, settings, edits: texts, order, items, points, removed };
}
