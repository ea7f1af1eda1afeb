// Owns the review of texts one image at a time: picture, fields, keys and what screen readers hear. Knows no dialog around it.
export { IoReview } from './io-review.ts';
export { originalOf } from './original-side.ts';
export type { AfterReview } from './render-parts.ts';
