import type { Quality, Settings } from '#contract';
import { PRESET_TARGETS } from '#contract/constants';
import type { RenderedVariant } from './shared/protocol.ts';

/** Returns what was promised of a file, and what it is; undefined: no file was delivered. */
export function qualityOf(
  { preset }: Pick<Settings, 'preset'>,
  record: Pick<RenderedVariant, 'score' | 'quality' | 'reached'> | undefined,
): Quality {
  const target = PRESET_TARGETS[preset];
  if (!record) return { preset, target, score: null, used: null, unscored: 'no_file' };
  const { score, quality: used, reached } = record;
  return {
    ...{ preset, target, score, used },
    ...(reached ? {} : { reached }),
    ...(score === null ? { unscored: 'search_off' as const } : {}),
  };
}
