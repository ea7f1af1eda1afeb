import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createFieldEditor } from '../../../widget/elements/io-row/edit-field.ts';

describe('typing in a field', () => {
  let committed: string[];
  let editor: ReturnType<typeof createFieldEditor>;

  beforeEach(() => {
    vi.useFakeTimers();
    committed = [];
    editor = createFieldEditor({ commit: (field, value) => committed.push(`${field}=${value}`), changed: () => {} });
  });
  afterEach(() => vi.useRealTimers());

  it('is committed once when the field is left, and not without a change', () => {
    editor.begin('alt', 'before');
    editor.end();
    editor.begin('alt', 'before');
    editor.type('after');
    editor.commit();
    editor.end();
    expect(committed).toEqual(['alt=after']);
    expect(editor.draft('alt')).toBeNull();
  });

  it('is committed after a pause, so that a reload loses little', () => {
    editor.begin('title', '');
    editor.type('a');
    vi.advanceTimersByTime(1000);
    editor.type('ab');
    vi.advanceTimersByTime(1000);
    expect(committed).toEqual([]);
    vi.advanceTimersByTime(1000);
    expect(committed).toEqual(['title=ab']);
    expect(editor.draft('title')).toBe('ab');
    expect(editor.draft('alt')).toBeNull();
  });

  it('is reverted to the text at the time of focus, also after a pause', () => {
    editor.begin('alt', 'before');
    expect(editor.revert()).toBe(false);
    editor.type('after');
    vi.advanceTimersByTime(5000);
    expect(editor.revert()).toBe(true);
    expect(editor.draft('alt')).toBe('before');
    expect(committed).toEqual(['alt=after', 'alt=before']);
    vi.advanceTimersByTime(5000);
    expect(committed).toHaveLength(2);
  });
});
