// Owns everything that touches pixels: probing, rendering, file names and cache keys. Must not know sessions, jobs, credits or HTTP.
export { type VariantKeyInput, variantKey } from './cache-key.ts';
export type { Turn, Urgency } from './choose-task.ts';
export { type ProcessingConfig, processingConfig, readableFormats } from './config.ts';
export { type Engine, type EngineResult, startEngine } from './engine.ts';
export { basenameOf, cleanBasename, filenameKey, variantFilename } from './filename.ts';
export { invisibleCharacters } from './invisible-characters.ts';
export { lacksOf, mergeWarnings } from './lacks.ts';
export {
  createProcessor,
  type ProbeOrder,
  type ProbeResult,
  type Processor,
  type ProcessorDeps,
  type RenderOptions,
} from './processor.ts';
export { fateOf, KINDS, type LedgerRow, rowOf } from './shared/ledger.ts';
export type {
  EmbeddedText,
  Inspection,
  InspectRequest,
  RenderedVariant,
  RenderOrder,
  RenderStep,
} from './shared/protocol.ts';
export {
  extensionOf,
  formatsOf,
  mimeTypeOf,
  planVariants,
  qualityOf,
  type SourceFacts,
  type VariantSpec,
} from './shared/variants.ts';
export type { TimeBudget } from './time-budget.ts';
export { endedByLimit } from './worker-queue.ts';
export { writeHtml } from './write-html.ts';
