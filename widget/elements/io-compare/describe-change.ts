import type { I18n } from '../../i18n/index.ts';
import type { CompareSide } from './compare-pair.ts';

/** E.g. `JPEG → WebP, 4032 × 3024`, or each side with its own size where they differ. */
export function describeChange(original: CompareSide, result: CompareSide, { t, dir }: I18n): string {
  // Latin names on both sides of an arrow would turn it round where lines run from right to left.
  const apart = (text: string) => (dir === 'rtl' ? `\u2068${text}\u2069` : text);
  const size = (side: CompareSide) => (side.width && side.height ? `${side.width} × ${side.height}` : '');
  const name = ({ format }: CompareSide) => (format === 'webp' ? 'WebP' : format.toUpperCase());
  const same = size(original) === size(result);
  const [from, to] = [original, result].map((side) => apart(same ? name(side) : `${name(side)} ${size(side)}`.trim()));
  const formats = from === to ? String(to) : t('compare.from-to', { from: from ?? '', to: to ?? '' });
  return same && size(result) ? `${formats}, ${apart(size(result))}` : formats;
}
