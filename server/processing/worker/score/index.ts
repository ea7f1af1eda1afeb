// Scores of visual quality: SSIMULACRA2 2.1, as people would judge an image beside its original. Knows pixels, not formats.
export { createScorer, type Pixels, type PreparedReference, type Scorer } from './scorer.ts';
