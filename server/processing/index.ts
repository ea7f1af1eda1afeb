// Owns everything that touches pixels: probing, rendering, file names and cache keys. Must not know sessions, jobs, credits or HTTP.
export { type EmbeddedTexts, type VariantKeyInput, variantKey } from './cache-key.ts';
export { type ProcessingConfig, processingConfig } from './config.ts';
export { cleanBasename, filenameKey, variantFilename } from './filename.ts';
export { extensionOf, mimeTypeOf, outputFormatOf } from './formats.ts';
export type { EmbeddedText, Inspection, InspectRequest } from './inspect/inspection.ts';
export {
  createProcessor,
  type ProbeResult,
  type Processor,
  type ProcessorDeps,
  type RenderedVariant,
  type RenderOptions,
  type RenderRequest,
} from './processor.ts';
export { planVariants, type VariantSpec } from './variants.ts';
export type { RenderStep, SourceFacts } from './worker-protocol.ts';
