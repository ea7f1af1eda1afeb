import type { ComplexAttributeConverter } from 'lit';

/** `auto-upload="false"` must be possible: the attribute's absence is the default, which is true. */
export const TRUE_BY_DEFAULT: ComplexAttributeConverter<boolean> = {
  fromAttribute: (value) => value !== 'false',
};

/** Null for what is no number, as for an attribute that is not there. */
export const NUMBER_OR_NULL: ComplexAttributeConverter<number | null> = {
  fromAttribute: (value) => (value === null || !Number.isFinite(Number(value)) ? null : Number(value)),
};

/** Properties that the flow is configured by. */
export const CONFIG_NAMES = [
  'endpoint',
  'headers',
  'apiKey',
  'transport',
  'accept',
  'maxFiles',
  'maxFileSize',
  'maxTotalSize',
  'maxPixels',
  'validate',
  'concurrency',
  'retries',
  'stallTimeout',
  'batchSize',
  'autoUpload',
  'autoAnalyze',
  'noAnalyze',
  'importBy',
  'analyzeOptions',
] as const;

/** Properties that are settings of an export. */
export const SETTING_NAMES = ['format', 'preset', 'responsive', 'responsiveSizes'] as const;
