import { isExpired } from './errors.ts';
import type { Notice } from './messages.ts';
import type { OptimizerError, Phase } from './types.ts';

/** A notice whose text is computed on each read, because the language may change while it is shown. */
type NewNotice = Omit<Partial<Notice>, 'message'> & Pick<Notice, 'kind'> & { message: () => string };

/** Messages that stay visible. */
export interface Notices {
  list(): readonly Notice[];
  /** Shows a notice in place of the earlier one of the same topic. */
  show(topic: string, notice: NewNotice): void;
  /** Shows an error of the whole widget or of several images. */
  fail(error: OptimizerError, phase: Phase, actions?: Notice['actions']): void;
  /** Removes the notice of a topic. Default: all. */
  drop(topic?: string): void;
}

/** Keeps the notices, one for each topic, in the order in which they came. */
export function createNotices(changed: () => void): Notices {
  let list: readonly Notice[] = [];
  function show(topic: string, { message, ...notice }: NewNotice) {
    // The notice `expired` covers the same error of all requests.
    if (notice.error && isExpired(notice.error)) return;
    const whole: Notice = {
      error: null,
      phase: null,
      files: [],
      actions: [],
      ...notice,
      id: topic,
      get message() {
        return message();
      },
    };
    list = [...list.filter(({ id }) => id !== topic), whole];
    changed();
  }
  return {
    list: () => list,
    show,
    fail(error, phase, actions = error.retryable ? ['retry'] : []) {
      show(`error-${phase}`, { kind: 'error', message: () => error.message, error, phase, actions });
    },
    drop(topic) {
      const left = topic === undefined ? [] : list.filter(({ id }) => id !== topic);
      if (left.length === list.length) return;
      list = left;
      changed();
    },
  };
}
