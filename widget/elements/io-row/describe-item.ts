import { IMAGE_EXTENSION } from '#contract/constants';
import type { I18n } from '../../i18n/index.ts';
import type { Item } from '../../state/index.ts';

/** Steps of the service with their own text; others are "Processing". */
const STEPS = new Set(['queued', 'load', 'optimize', 'resize', 'save', 'prepare', 'describe']);
/** Reasons for a review with their own text; others are "Please check". */
const REASONS = new Set([
  'people',
  'text',
  'document',
  'chart',
  'small',
  'clipped',
  'long',
  'decorative',
  'language',
  'fallback',
  'missing',
]);

/** Text and tone of the badge in a row. */
export interface StatusLabel {
  text: string;
  tone: '' | 'accent' | 'success' | 'warning' | 'danger';
}

/** True while a run works on the image. */
export function isBusy(item: Item): boolean {
  const running = ['uploading', 'analyzing', 'sampling', 'exporting'].includes(item.status);
  return (running && item.step !== 'done') || item.waiting === 'retry';
}

/** Describes the current or last action on an image. Null: nothing to show. */
export function describeStatus(item: Item, { t, formatPercent }: I18n): StatusLabel | null {
  if (item.replacement?.status === 'replaced') return { text: t('row.replaced'), tone: 'success' };
  if (item.replacement?.status === 'pending') return { text: t('row.replacing'), tone: 'accent' };
  if (item.status === 'failed') return { text: t('row.failed'), tone: 'danger' };
  if (item.waiting) return { text: t(`row.waiting-${item.waiting}`), tone: 'warning' };
  switch (item.status) {
    case 'queued':
      return { text: t('row.queued'), tone: '' };
    case 'uploading':
      return { text: t('row.uploading', { percent: formatPercent(item.progress) }), tone: 'accent' };
    case 'analyzing':
    case 'sampling':
    case 'exporting':
      if (item.step === 'done') return { text: t('step.done'), tone: 'success' };
      return { text: t(item.step && STEPS.has(item.step) ? `step.${item.step}` : 'step.other'), tone: 'accent' };
    default:
  }
  if (item.result && item.stale) return { text: t('row.stale'), tone: 'warning' };
  if (item.result) return { text: t('row.exported'), tone: 'success' };
  if (item.needsReview.length > 0) return { text: t('row.review'), tone: 'warning' };
  return null;
}

/** Lists the reasons for a review in one line. */
export function describeReview(item: Item, { t }: I18n): string {
  return item.needsReview.map((reason) => t(REASONS.has(reason) ? `review.${reason}` : 'review.other')).join(' ');
}

/** Returns pixels, format and bytes as far as known, with non-breaking spaces. */
export function describeFacts(item: Item, { formatBytes }: I18n): string[] {
  const { image, size, name } = item;
  const format = (image?.format ?? IMAGE_EXTENSION.exec(name)?.[0].slice(1) ?? '').toUpperCase();
  const bytes = image?.size ?? size;
  return [image ? `${image.width} × ${image.height}` : '', format, bytes === null ? '' : formatBytes(bytes)]
    .filter(Boolean)
    .map((fact) => fact.replaceAll(' ', '\u00a0'));
}

/** Counts the code points of a text, as the service does. */
export function countCharacters(text: string): number {
  return [...text].length;
}
