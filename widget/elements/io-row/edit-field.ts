import type { EditableField } from '../../state/index.ts';

/** A text field of a row. */
export type TextField = Exclude<EditableField, 'decorative'>;

/** Text that a person is typing. Enter and leaving the field save it; Escape restores the former text. */
export interface FieldEdit {
  readonly field: TextField;
  /** As it was when the field got the focus. */
  readonly before: string;
  readonly draft: string;
}

/** After so many milliseconds without a key the draft is committed, so that a reload loses little. */
const IDLE_MS = 1200;

/** Keeps the draft of the one field that has the focus, so that new snapshots of the item never move the caret. */
export function createFieldEditor({
  commit,
  changed,
}: {
  commit: (field: TextField, value: string) => void;
  changed: () => void;
}) {
  let edit: FieldEdit | null = null;
  let committed: string | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function flush(): void {
    clearTimeout(timer);
    if (!edit || edit.draft === committed) return;
    committed = edit.draft;
    commit(edit.field, edit.draft);
  }

  return {
    /** The draft of a field, or null when nobody is typing in it. */
    draft: (field: TextField): string | null => (edit?.field === field ? edit.draft : null),
    begin(field: TextField, value: string): void {
      edit = { field, before: value, draft: value };
      committed = value;
    },
    type(value: string): void {
      if (!edit) return;
      edit = { ...edit, draft: value };
      clearTimeout(timer);
      timer = setTimeout(flush, IDLE_MS);
      changed();
    },
    commit: flush,
    /** @returns whether there was something to put back */
    revert(): boolean {
      if (!edit || edit.draft === edit.before) return false;
      edit = { ...edit, draft: edit.before };
      flush();
      changed();
      return true;
    },
    end(): void {
      flush();
      edit = null;
      changed();
    },
  };
}
