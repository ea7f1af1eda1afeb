// Owns the form of settings. Must not know what they are used for.
export type { AnalysisOptions } from './analysis-options.ts';
export { CONTEXT_LENGTH } from './analysis-options.ts';
export { IoSettings, type OptionsEditDetail, type SettingsEditDetail } from './io-settings.ts';
