import type { I18n } from '../../i18n/index.ts';
import type { CompareSide } from './compare-pair.ts';

/** Describes formats and sizes, e.g. `JPEG → WebP · 4032 × 3024`; with both sizes if they differ. */
export function describeChange(original: CompareSide, result: CompareSide, { t, dir }: I18n): string {
  // In right-to-left text, an arrow between Latin names would point in the wrong direction.
  const apart = (text: string) => (dir === 'rtl' ? `\u2068${text}\u2069` : text);
  const size = (side: CompareSide) => (side.width && side.height ? `${side.width} × ${side.height}` : '');
  const name = ({ format }: CompareSide) => (format === 'webp' ? 'WebP' : format.toUpperCase());
  const same = size(original) === size(result);
  const [from, to] = [original, result].map((side) => apart(same ? name(side) : `${name(side)} ${size(side)}`.trim()));
  const formats = from === to ? String(to) : t('compare.from-to', { from: from ?? '', to: to ?? '' });
  return same && size(result) ? `${formats} · ${apart(size(result))}` : formats;
}
