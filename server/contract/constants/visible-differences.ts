/**
 * What people see of the difference to the original, by the SSIMULACRA2 score of a file: each name holds from its score up to the next
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
