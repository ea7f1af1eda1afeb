// Owns the description of one image and the vision services that can be asked for it. Knows no jobs, credits, routes or events.
export {
  type Analysis,
  type AnalysisDeps,
  type AnalysisRun,
  type AnalyzedImage,
  createAnalysis,
  type VisionState,
} from './analysis.ts';
export { type AnalyzeImages, createAnalyzeImages } from './analyze-images.ts';
export { type AnalysisConfig, analysisConfig } from './config.ts';
export { type TriedService, tryService } from './try-service.ts';
