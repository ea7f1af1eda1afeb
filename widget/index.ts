// Owns the widget's public classes and types. Importing it has no side effects: `define.ts` defines the elements.
export { ImageOptimizer } from './elements/image-optimizer/index.ts';
export type { ComparePair, CompareSide } from './elements/io-compare/compare-pair.ts';
export type { LitTemplate } from './elements/lit-template.ts';
export type { ImageOptimizerEventMap } from './events.ts';
export type * from './state/index.ts';
export { VERSION } from './version.ts';
