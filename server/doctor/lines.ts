import type { CheckedPart, CheckLine } from '#contract';

/** Makes the lines of a part about one thing that was tried. */
export function linesOf(part: CheckedPart, tried: string) {
  return {
    ok: (code: string, found: string): CheckLine => ({ part, state: 'ok', code, tried, found, remedy: null }),
    /** Nothing is set up, or nothing could be tried. */
    off: (code: string, found: string, remedy: string | null = null): CheckLine => ({
      ...{ part, state: 'off', code, tried, found, remedy },
    }),
    warning: (code: string, found: string, remedy: string): CheckLine => ({
      ...{ part, state: 'warning', code, tried, found, remedy },
    }),
    fault: (code: string, found: string, remedy: string): CheckLine => ({
      ...{ part, state: 'fault', code, tried, found, remedy },
    }),
  };
}
