// Owns the before/after comparison. Must not know where the bytes come from.
export type { ComparePair, CompareSide, MeasuredQuality } from './compare-pair.ts';
export { type CompareChangeDetail, IoCompare } from './io-compare.ts';
