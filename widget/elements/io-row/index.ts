// Owns the row of one image: thumbnail, texts, state and actions. Must not know other rows or the page.
export { IoRow } from './io-row.ts';
export type { RowContext } from './row-context.ts';
export { createThumbQueue, type ThumbQueue } from './thumb-queue.ts';
