import type { Core } from '../core.ts';
import type { EditableField, FieldOrigin, Item, ItemMetadata } from '../types.ts';
import { itemsOf, unacceptedFields } from './item-questions.ts';
import type { MetadataSaver } from './metadata-saver.ts';

/** Longest texts that the service keeps, in characters. */
const LONGEST: { readonly [field: string]: number } = { filename: 255, title: 500, alt: 1000 };
/** Edits of one field that follow each other so fast are one step of undo, in milliseconds. */
const TYPING_MS = 2000;
const MAX_STEPS = 200;

type Value = string | boolean | null;

/** One field before and after. */
interface Change {
  id: string;
  field: EditableField;
  before: Value;
  after: Value;
  originBefore: FieldOrigin | undefined;
  originAfter: FieldOrigin | undefined;
}

interface Step {
  changes: Change[];
  at: number;
}

/** Edits of texts: what a person writes, accepts and takes back. `edited` is told of items that changed. */
export function createReview(core: Core, saver: MetadataSaver, edited: (ids: readonly string[]) => void) {
  const { store, env } = core;
  let done: Step[] = [];
  let undone: Step[] = [];

  /** Texts are trimmed when they are empty only: a space at the end is about to be followed by a word. */
  function clean(field: EditableField, value: Value, decorative: boolean): Value {
    if (field === 'decorative') return value === true;
    const text = String(value ?? '').slice(0, LONGEST[field]);
    if (text.trim() !== '') return text;
    return field === 'alt' && decorative ? '' : null;
  }

  const changeOf = (item: Item, field: EditableField, after: Value, originAfter: FieldOrigin = 'user'): Change => {
    const before = item.metadata[field];
    return { id: item.id, field, before, after, originBefore: item.origins[field], originAfter };
  };

  /** Applies changes, forward or back, and sends them. */
  function apply(changes: readonly Change[], back = false) {
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
      store.patch(id, { metadata: metadata as unknown as ItemMetadata, origins, needsReview });
      saver.put(id, Object.fromEntries(own.map(({ field }) => [field, metadata[field]])));
    }
    edited([...byItem.keys()]);
    core.touch();
  }

  /** Asks the listeners; what one of them prevents is not done. */
  function allowed({ id, field, before, after }: Change): boolean {
    if (before === after) return true;
    return core.emit('io-metadata-change', { id, field, value: after, previous: before, origin: 'user' });
  }

  function record(changes: Change[], typing: boolean) {
    const last = done.at(-1);
    const [only] = changes;
    const [former] = last?.changes ?? [];
    const now = env.now();
    const goesOn =
      typing &&
      undone.length === 0 &&
      last?.changes.length === 1 &&
      former?.id === only?.id &&
      former?.field === only?.field &&
      now - last.at < TYPING_MS;
    if (goesOn && former && only) {
      former.after = only.after;
      former.originAfter = only.originAfter;
      last.at = now;
    } else done = [...done, { changes, at: now }].slice(-MAX_STEPS);
    undone = [];
  }

  function change(changes: Change[], typing = false) {
    const real = changes.filter(
      ({ before, after, originBefore, originAfter }) => before !== after || originBefore !== originAfter,
    );
    if (real.length === 0 || !real.every(allowed)) return;
    record(real, typing);
    apply(real);
  }

  function setDecorative(id: string, decorative: boolean) {
    const item = store.get(id);
    if (!item || item.metadata.decorative === decorative) return;
    // What was written before comes back when the tick is taken away again.
    const earlier = done
      .flatMap(({ changes }) => changes)
      .findLast((one) => one.id === id && one.field === 'alt' && one.after === '');
    const alt = decorative ? '' : (earlier?.before ?? null);
    change([changeOf(item, 'decorative', decorative), changeOf(item, 'alt', alt)]);
  }

  return {
    setDecorative,
    setMetadata(id: string, field: EditableField, value: Value) {
      const item = store.get(id);
      if (!item) return;
      if (field === 'decorative') return setDecorative(id, value === true);
      const after = clean(field, value, item.metadata.decorative);
      if (after !== item.metadata[field]) change([changeOf(item, field, after)], true);
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
    recordOverwritten(changes: readonly { before: Item; after: Item }[]) {
      const lost = changes.flatMap(({ before, after }) =>
        (['filename', 'title', 'alt', 'decorative'] as const)
          .filter((field) => before.origins[field] === 'user' && before.metadata[field] !== after.metadata[field])
          .map((field) => changeOf(before, field, after.metadata[field], after.origins[field])),
      );
      if (lost.length > 0) record(lost, false);
    },
    undo() {
      const step = done.at(-1);
      if (!step) return;
      done = done.slice(0, -1);
      undone = [...undone, step];
      apply(step.changes, true);
      core.announcer.say('edit', core.t('announce.undone', { count: step.changes.length }));
    },
    redo() {
      const step = undone.at(-1);
      if (!step) return;
      undone = undone.slice(0, -1);
      done = [...done, step];
      apply(step.changes);
      core.announcer.say('edit', core.t('announce.redone', { count: step.changes.length }));
    },
    get canUndo() {
      return done.length > 0;
    },
    get canRedo() {
      return undone.length > 0;
    },
    forget(ids: readonly string[]) {
      const gone = new Set(ids);
      const keep = (steps: Step[]) =>
        steps
          .map((step) => ({ ...step, changes: step.changes.filter(({ id }) => !gone.has(id)) }))
          .filter(({ changes }) => changes.length > 0);
      done = keep(done);
      undone = keep(undone);
    },
  };
}

/** Edits of texts. */
export type Review = ReturnType<typeof createReview>;
