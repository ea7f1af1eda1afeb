import type { AnalysisConfig } from './config.ts';
import { STRUCTURED_MODES } from './config.ts';
import type { StructuredMode } from './vision-provider.ts';

/** Time after which a stricter mode or a larger picture is tried again, in milliseconds. */
const AGAIN_AFTER_MS = 3_600_000;

/** Form of the questions of one service: what its answers have shown to work. */
export interface QuestionForm {
  /** Mode to begin with. */
  mode(): StructuredMode;
  /** Mode to try after one that the service refuses; null: none. @param isNamed true if the service says that it is the mode */
  modeAfter(mode: StructuredMode, isNamed: boolean): StructuredMode | null;
  /** True if pictures are to be sent smaller. */
  isSmall(): boolean;
  /** Takes over what worked: only an answer that was understood counts. */
  worked(mode: StructuredMode, isSmall: boolean): void;
}

/** Creates the form: strictest mode and whole picture at first, and again an hour after something less was taken. */
export function createQuestionForm(structured: AnalysisConfig['AI_STRUCTURED'], now: () => number): QuestionForm {
  let mode: StructuredMode = 'json_schema';
  let small = false;
  let againAt = Number.POSITIVE_INFINITY;
  const refresh = () => {
    if (now() < againAt) return;
    mode = 'json_schema';
    small = false;
    againAt = Number.POSITIVE_INFINITY;
  };
  return {
    mode() {
      refresh();
      return structured === 'auto' ? mode : structured;
    },
    modeAfter(refused, isNamed) {
      if (structured !== 'auto' || refused === 'text') return null;
      // Words that name no reason may mean anything: plain text is the one other try.
      return isNamed ? (STRUCTURED_MODES[STRUCTURED_MODES.indexOf(refused) + 1] ?? null) : 'text';
    },
    isSmall() {
      refresh();
      return small;
    },
    worked(used, isSmall) {
      if (used === mode && isSmall === small) return;
      mode = used;
      small = isSmall;
      againAt = used === 'json_schema' && !isSmall ? Number.POSITIVE_INFINITY : now() + AGAIN_AFTER_MS;
    },
  };
}
