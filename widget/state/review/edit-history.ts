import type { Environment } from '../environment.ts';
import type { EditableField, FieldOrigin } from '../types.ts';

/** Longest pause between edits of one field that are undone as one step, in milliseconds. */
const TYPING_MS = 2000;
const MAX_STEPS = 200;

/** Value of an editable field. */
export type Value = string | boolean | null;

/** One field before and after an edit. */
export interface Change {
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

/** Creates the steps of undo and redo. */
export function createEditHistory(env: Environment) {
  let done: Step[] = [];
  let undone: Step[] = [];

  return {
    /** Records a step. `typing`: edits of one field that follow each other fast become one step. */
    record(changes: Change[], typing = false) {
      const last = done.at(-1);
      const [only] = changes;
      const [former] = last?.changes ?? [];
      const now = env.now();
      const continues =
        typing &&
        undone.length === 0 &&
        last?.changes.length === 1 &&
        former?.id === only?.id &&
        former?.field === only?.field &&
        now - last.at < TYPING_MS;
      if (continues && former && only) {
        former.after = only.after;
        former.originAfter = only.originAfter;
        last.at = now;
      } else done = [...done, { changes, at: now }].slice(-MAX_STEPS);
      undone = [];
    },
    /** Changes of all recorded steps, the oldest first. */
    changes: () => done.flatMap(({ changes }) => changes),
    /** Takes back the last step and returns its changes. */
    undo(): readonly Change[] | undefined {
      const step = done.pop();
      if (step) undone.push(step);
      return step?.changes;
    },
    /** Takes the step that was undone last, and returns its changes. */
    redo(): readonly Change[] | undefined {
      const step = undone.pop();
      if (step) done.push(step);
      return step?.changes;
    },
    canUndo: () => done.length > 0,
    canRedo: () => undone.length > 0,
    /** Forgets the changes of removed items. */
    forget(ids: readonly string[]) {
      const removed = new Set(ids);
      const keep = (steps: readonly Step[]) =>
        steps
          .map((step) => ({ ...step, changes: step.changes.filter(({ id }) => !removed.has(id)) }))
          .filter(({ changes }) => changes.length > 0);
      done = keep(done);
      undone = keep(undone);
    },
  };
}
