// Owns the widget's public classes and types. Importing it defines no element and touches no page: `define.ts` does.
export { ImageOptimizer } from './elements/image-optimizer/index.ts';
export type { ComparePair, CompareSide } from './elements/io-compare/index.ts';
export { VERSION } from './elements/version.ts';
export type { ImageOptimizerEventMap } from './events.ts';
export type * from './state/index.ts';
