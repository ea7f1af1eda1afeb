import type { I18n } from '../i18n/index.ts';

/** Smallest difference that is told, as a share of the original; less would be written as 0 %. */
const SAME = 0.0049;

/** Says by how much a file of `to` bytes is smaller or larger than one of `from` bytes. */
export function nameSaving(from: number, to: number, { t, formatPercent }: I18n): string {
  const saved = from > 0 ? 1 - to / from : 0;
  const key = saved > SAME ? 'result.smaller' : saved < -SAME ? 'result.larger' : 'result.same';
  return t(key, { percent: formatPercent(Math.abs(saved)) });
}
