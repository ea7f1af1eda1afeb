// Owns the before/after comparison. Knows where the bytes come from as little as what is done with the images.
export type { ComparePair, CompareSide } from './compare-pair.ts';
export { type CompareChangeDetail, IoCompare } from './io-compare.ts';
