import { IMAGE_EXTENSION } from '#contract/constants';
import type { I18n } from '../../i18n/index.ts';
import { type Item, isMissingText, type Settings, unacceptedFields } from '../../state/index.ts';
import { describeCarried } from './describe-carried.ts';

/** Returns a text, or another one for what the service has added since. */
function textOf({ t }: I18n, key: string, other: string): string {
  const text = t(key);
  return text === key ? t(other) : text;
}

/** Text and tone of the badge in a row. */
export interface StatusLabel {
  text: string;
  tone: 'ring' | 'success' | 'warning' | 'danger';
}

/** True while a run works on the image. */
export function isBusy(item: Item): boolean {
  const running = ['uploading', 'analyzing', 'sampling', 'exporting'].includes(item.status);
  return (running && item.step !== 'done') || item.waiting === 'retry';
}

/** Describes the one state of an image that people need most: what goes wrong, what runs, then what its texts are. Null: nothing to show. */
export function describeStatus(item: Item, i18n: I18n): StatusLabel | null {
  const { t, formatPercent } = i18n;
  if (item.replacement?.status === 'replaced') return { text: t('row.replaced'), tone: 'success' };
  if (item.replacement?.status === 'pending') return { text: t('row.replacing'), tone: 'ring' };
  if (item.status === 'failed') return { text: t('row.failed'), tone: 'danger' };
  if (item.waiting) return { text: t(`row.waiting-${item.waiting}`), tone: 'warning' };
  switch (item.status) {
    case 'queued':
      return { text: t('row.queued'), tone: 'ring' };
    case 'uploading':
      return { text: t('row.uploading', { percent: formatPercent(item.progress) }), tone: 'ring' };
    case 'analyzing':
    case 'sampling':
    case 'exporting':
      if (item.step === 'done') return { text: t('step.done'), tone: 'success' };
      return { text: textOf(i18n, `step.${item.step}`, 'step.other'), tone: 'ring' };
    default:
  }
  if (item.result && item.stale) return { text: t('row.stale'), tone: 'warning' };
  if (item.needsReview.length > 0) return { text: t('filter.review'), tone: 'warning' };
  if (item.result) return { text: t('row.exported'), tone: 'success' };
  if (isMissingText(item) || item.origins.alt === 'cms') return null;
  if (item.edited) return { text: t('row.edited'), tone: 'success' };
  if (unacceptedFields(item).length > 0) return { text: t('row.suggested'), tone: 'ring' };
  return { text: t('row.checked'), tone: 'success' };
}

/** Lists the reasons for a review in one line. */
export function describeReview(item: Item, i18n: I18n): string {
  return item.needsReview.map((reason) => textOf(i18n, `review.${reason}`, 'review.other')).join(' ');
}

/** Returns pixels, format and bytes as far as known, with non-breaking spaces, and what the file carries. */
export function describeFacts(item: Item, settings: Settings, i18n: I18n): string[] {
  const { image, size, name } = item;
  const format = (image?.format ?? IMAGE_EXTENSION.exec(name)?.[0].slice(1) ?? '').toUpperCase();
  const bytes = image?.size ?? size;
  const facts = [
    image ? `${image.width} × ${image.height}` : '',
    format,
    bytes === null ? '' : i18n.formatBytes(bytes),
  ];
  return [
    ...facts.filter(Boolean).map((fact) => fact.replaceAll(' ', '\u00a0')),
    ...describeCarried(item, settings, i18n),
  ];
}

/** Counts the code points of a text, as the service does. */
export function countCharacters(text: string): number {
  return [...text].length;
}
