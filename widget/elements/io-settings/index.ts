// Owns the form of settings. Does not know what is done with them.
export type { AnalysisOptions } from './analysis-options.ts';
export { IoSettings, type OptionsEditDetail, type SettingsEditDetail } from './io-settings.ts';
