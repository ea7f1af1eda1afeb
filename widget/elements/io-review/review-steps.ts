import type { I18n } from '../../i18n/index.ts';
import { type Item, isMissingText, unacceptedFields, wantsReview } from '../../state/index.ts';
import { describeReview } from '../io-row/index.ts';

/** Action of a key in the review. */
export type ReviewCommand = 'accept' | 'decorative' | 'next' | 'previous' | 'revert';

/** Returns what a key does; null: nothing of the review. Buttons keep their Enter. */
export function commandOf(event: KeyboardEvent): ReviewCommand | null {
  const { key, ctrlKey, metaKey, shiftKey, altKey, isComposing } = event;
  if (isComposing || altKey) return null;
  const command = ctrlKey || metaKey;
  if (key === 'Escape') return 'revert';
  if (key === 'Enter' && !command) return (event.target as Element).matches('button, summary') ? null : 'accept';
  if (command && !shiftKey && key.toLowerCase() === 'd') return 'decorative';
  if (key === 'PageDown' || (command && key === 'ArrowDown')) return 'next';
  return key === 'PageUp' || (command && key === 'ArrowUp') ? 'previous' : null;
}

/** Names an image, its text and its state in sentences. */
export function describeImage(item: Item, reviewed: boolean, i18n: I18n): string {
  const { t } = i18n;
  const { alt, decorative } = item.metadata;
  const text = decorative ? t('field.decorative') : (alt ?? t('field.alt-missing'));
  return [`${item.name}.`, text, describeReview(item, i18n), reviewed ? t('reviewing.accepted') : '']
    .filter(Boolean)
    .join(' ');
}

/** True for an image whose texts need no review. */
export const isReviewed = (item: Item): boolean =>
  !isMissingText(item) && !wantsReview(item) && unacceptedFields(item).length === 0;

/** Describes a finished review: how many images were checked, edited and marked as decorative. */
export function describeEnd(items: readonly Item[], done: ReadonlySet<string>, { t }: I18n): string {
  const count = (fits: (item: Item) => boolean) => items.filter(fits).length;
  return t('reviewing.done', {
    count: count(({ id }) => done.has(id)),
    edited: count(({ edited }) => edited),
    decorative: count(({ metadata }) => metadata.decorative),
  });
}
