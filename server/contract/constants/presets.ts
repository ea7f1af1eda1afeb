/** Presets by visual quality, from visually lossless down to smallest. */
export const PRESETS = ['maximum', 'very_high', 'high', 'medium', 'low', 'minimum'] as const;
export type Preset = (typeof PRESETS)[number];

/**
 * Promise of each preset: the SSIMULACRA2 score of every file against the pixels that it was encoded from, the same in every lossy
 * format and width. 100: identical; from 90 no visible difference, from 80 hardly visible, from 70 visible only side by side, from 50 visible.
 */
export const PRESET_TARGETS: Readonly<Record<Preset, number>> = {
  maximum: 87,
  very_high: 82,
  high: 76,
  medium: 70,
  low: 60,
  minimum: 45,
};

/**
 * Reasons why a file stays below the target of its preset. `knee`: one more point of the score costs more than 12 % of the file; `format`: the
 * format's highest setting does not reach the target.
 */
export const STOPPED_REASONS = ['knee', 'format'] as const;
export type StoppedReason = (typeof STOPPED_REASONS)[number];

/** Reason for a missing score: the search is off (`QUALITY_SEARCH`), or no file was delivered. */
export const UNSCORED_REASONS = ['search_off', 'no_file'] as const;

/** Widths in pixels that `responsive: true` makes when no `responsiveSizes` are given. */
export const DEFAULT_RESPONSIVE_WIDTHS = [480, 768, 1024, 1440, 1920] as const;
/** Shortest and longest edge of a responsive size, in pixels. */
export const RESPONSIVE_EDGE = { min: 16, max: 8192 } as const;
/** Smallest and largest `maxWidth` and `maxHeight`, in pixels. */
export const MAX_EDGE = { min: 16, max: 65_535 } as const;
/** Most entries of `responsiveSizes`. */
export const MAX_RESPONSIVE_SIZES = 10;

/**
 * Visibility of the difference to the original, by the SSIMULACRA2 score of a file: each name holds from its score up to the next
 * one. The words are in the languages of the element, as `quality.<name>`.
 */
export const VISIBLE_DIFFERENCES = [
  { name: 'none', from: 90 },
  { name: 'hardly', from: 80 },
  { name: 'side_by_side', from: 70 },
  { name: 'visible', from: 50 },
  { name: 'clear', from: Number.NEGATIVE_INFINITY },
] as const;
export type VisibleDifference = (typeof VISIBLE_DIFFERENCES)[number]['name'];

/** Returns the name of the visible difference for a score of at most 100. */
export function visibleDifference(score: number): VisibleDifference {
  return VISIBLE_DIFFERENCES.find(({ from }) => score >= from)?.name ?? 'clear';
}
