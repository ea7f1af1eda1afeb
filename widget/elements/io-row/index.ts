// Owns one image's row: its picture, texts, state and actions. Knows the other rows as little as the page.
export { IoRow } from './io-row.ts';
export type { RowContext } from './row-context.ts';
export { createThumbQueue, type ThumbQueue } from './thumb-queue.ts';
