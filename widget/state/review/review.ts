import { TEXT_LENGTHS } from '#contract/constants';
import type { Core } from '../core.ts';
import type { EditableField, FieldOrigin, Item, ItemMetadata } from '../types.ts';
import { type Change, createEditHistory, type Value } from './edit-history.ts';
import { EDITABLE_FIELDS, itemsOf, unacceptedFields } from './item-questions.ts';
import type { MetadataSaver } from './metadata-saver.ts';

/** Creates the edits of texts. `edited` is called with the ids of items that changed. */
export function createReview(core: Core, saver: MetadataSaver, edited: (ids: readonly string[]) => void) {
  const { store } = core;
  const history = createEditHistory(core.env);

  function apply(changes: readonly Change[], back = false) {
    edited(applyChanges(core, saver, changes, back));
    core.touch();
  }

  function change(changes: Change[], typing = false) {
    const real = changes.filter(
      ({ before, after, originBefore, originAfter }) => before !== after || originBefore !== originAfter,
    );
    if (real.length === 0 || !real.every((one) => isAllowed(core, one))) return;
    history.record(real, typing);
    apply(real);
  }

  function setDecorative(id: string, decorative: boolean) {
    const item = store.get(id);
    if (item && item.metadata.decorative !== decorative) change(decorativeChanges(item, decorative, history.changes()));
  }

  return {
    setDecorative,
    setFocalPoint(id: string, focalPoint: Item['focalPoint']) {
      store.patch(id, { focalPoint });
      edited([id]);
      core.touch();
    },
    setMetadata(id: string, field: EditableField, value: Value) {
      const item = store.get(id);
      if (!item) return;
      if (field === 'decorative') return setDecorative(id, value === true);
      const after = cleanText(field, value, item.metadata.decorative);
      if (after !== item.metadata[field]) change([changeOf(item, field, after)], true);
    },
    setForAll(ids: readonly string[], field: 'title' | 'alt', value: string) {
      change(
        itemsOf(store, ids).map((item) => changeOf(item, field, cleanText(field, value, item.metadata.decorative))),
      );
    },
    acceptAll(ids?: readonly string[]) {
      const changes = itemsOf(store, ids).flatMap((item) =>
        unacceptedFields(item).map((field) => changeOf(item, field, item.metadata[field])),
      );
      change(changes);
      const count = new Set(changes.map(({ id }) => id)).size;
      if (count > 0) core.announcer.say('edit', core.t('announce.accepted', { count }));
    },
    /** Records texts of a person that an analysis replaced, so that undo restores them. */
    recordOverwritten(replaced: readonly { before: Item; after: Item }[]) {
      const changes = overwrittenTexts(replaced);
      if (changes.length > 0) history.record(changes);
    },
    /** Takes back the last step, or makes it again. */
    step(way: 'undo' | 'redo') {
      const changes = history[way]();
      if (!changes) return;
      apply(changes, way === 'undo');
      core.announcer.say(
        'edit',
        core.t(way === 'undo' ? 'announce.undone' : 'announce.redone', { count: changes.length }),
      );
    },
    canUndo: history.canUndo,
    canRedo: history.canRedo,
    forget: history.forget,
  };
}

/** Edits of texts. */
export type Review = ReturnType<typeof createReview>;

const changeOf = (item: Item, field: EditableField, after: Value, originAfter: FieldOrigin = 'user'): Change => {
  const before = item.metadata[field];
  return { id: item.id, field, before, after, originBefore: item.origins[field], originAfter };
};

/** Limits the length. Only empty texts are trimmed, since a space at the end may be followed by a word. */
function cleanText(field: keyof typeof TEXT_LENGTHS, value: Value, decorative: boolean): Value {
  const text = String(value ?? '').slice(0, TEXT_LENGTHS[field]);
  if (text.trim() !== '') return text;
  return field === 'alt' && decorative ? '' : null;
}

/** True unless a listener prevents the change. */
function isAllowed(core: Core, { id, field, before, after }: Change): boolean {
  if (before === after) return true;
  return core.emit('io-metadata-change', { id, field, value: after, previous: before, origin: 'user' });
}

/** Returns the changes that mark an image as decorative or not; without the mark its earlier text comes back. */
function decorativeChanges(item: Item, decorative: boolean, earlier: readonly Change[]): Change[] {
  const emptied = earlier.findLast((one) => one.id === item.id && one.field === 'alt' && one.after === '');
  const alt = decorative ? '' : (emptied?.before ?? null);
  return [changeOf(item, 'decorative', decorative), changeOf(item, 'alt', alt)];
}

function overwrittenTexts(replaced: readonly { before: Item; after: Item }[]): Change[] {
  return replaced.flatMap(({ before, after }) =>
    EDITABLE_FIELDS.filter(
      (field) => before.origins[field] === 'user' && before.metadata[field] !== after.metadata[field],
    ).map((field) => changeOf(before, field, after.metadata[field], after.origins[field])),
  );
}

/** Applies changes, or takes them back, and sends them. Returns the ids of the items. */
function applyChanges({ store }: Core, saver: MetadataSaver, changes: readonly Change[], back: boolean): string[] {
  const byItem = new Map<string, Change[]>();
  for (const one of changes) byItem.set(one.id, [...(byItem.get(one.id) ?? []), one]);
  for (const [id, own] of byItem) {
    const item = store.get(id);
    if (!item) continue;
    const metadata: { [field: string]: Value } = { ...item.metadata };
    const origins: { [Field in EditableField]?: FieldOrigin } = { ...item.origins };
    for (const { field, before, after, originBefore, originAfter } of own) {
      metadata[field] = back ? before : after;
      const origin = back ? originBefore : originAfter;
      if (origin) origins[field] = origin;
      else delete origins[field];
    }
    const seen = origins.alt === 'user' || origins.decorative === 'user';
    const needsReview = seen ? [] : item.needsReview;
    const changed =
      own.every(({ field }) => field !== 'decorative') && own.some(({ before, after }) => before !== after);
    const edited = Object.values(origins).includes('user') && (item.edited || (changed && !back));
    store.patch(id, { metadata: metadata as unknown as ItemMetadata, origins, needsReview, edited });
    saver.put(id, Object.fromEntries(own.map(({ field }) => [field, metadata[field]])));
  }
  return [...byItem.keys()];
}
