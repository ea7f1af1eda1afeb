// Owns the row of one image: thumbnail, texts, state and actions. Must not know other rows or the page.
export { carriesHdr, describeCarried } from './describe-carried.ts';
export { describeReview } from './describe-item.ts';
export { createFieldEditor, type TextField } from './edit-field.ts';
export { fieldPartStyles } from './io-row.styles.ts';
export { IoRow } from './io-row.ts';
export type { RowSelectDetail } from './render-card.ts';
export { renderFields } from './render-fields.ts';
export type { RowContext } from './row-context.ts';
export { createThumbQueue, paint, type ThumbQueue } from './thumb-queue.ts';
