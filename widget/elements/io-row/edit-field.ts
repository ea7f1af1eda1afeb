import type { EditableField } from '../../state/index.ts';

/** A text field of a row. */
export type TextField = Exclude<EditableField, 'decorative'>;

/** Text being typed. Enter and leaving the field save it; Escape restores the previous text. */
export interface FieldEdit {
  readonly field: TextField;
  /** Text when the field was focused. */
  readonly before: string;
  readonly draft: string;
}

/** Time without a key after which the draft is committed, so that a reload loses little. Milliseconds. */
const IDLE_MS = 1200;

/** Creates the editor of a row: keeps the draft of the focused field, so that updates of the item never move the caret. */
export function createFieldEditor({
  commit,
  changed,
  typed,
}: {
  commit: (field: TextField, value: string) => void;
  changed: () => void;
  /** Called with each text that is typed, and with null when it is saved. */
  typed?: (field: TextField, value: string | null) => void;
}) {
  let edit: FieldEdit | null = null;
  let committed: string | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function flush(): void {
    clearTimeout(timer);
    if (!edit || edit.draft === committed) return;
    committed = edit.draft;
    commit(edit.field, edit.draft);
    typed?.(edit.field, null);
  }

  return {
    /** Returns the draft of a field; null if it is not being edited. */
    draft: (field: TextField): string | null => (edit?.field === field ? edit.draft : null),
    begin(field: TextField, value: string): void {
      edit = { field, before: value, draft: value };
      committed = value;
    },
    type(value: string): void {
      if (!edit) return;
      edit = { ...edit, draft: value };
      typed?.(edit.field, value);
      clearTimeout(timer);
      timer = setTimeout(flush, IDLE_MS);
      changed();
    },
    /** Takes over a text that was changed elsewhere, unless another one is being typed. */
    refresh(value: string): void {
      if (!edit || edit.draft !== committed || value === committed) return;
      edit = { ...edit, before: value, draft: value };
      committed = value;
    },
    /** Field that is being edited; null if there is none. */
    get field(): TextField | null {
      return edit?.field ?? null;
    },
    commit: flush,
    /** Restores the previous text. False if it was unchanged. */
    revert(): boolean {
      if (!edit || edit.draft === edit.before) return false;
      edit = { ...edit, draft: edit.before };
      typed?.(edit.field, null);
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
