import type { PropertyDeclarations } from 'lit';

/** `auto-upload="false"` must be possible: the attribute's absence is the default, which is true. */
const onByDefault = {
  converter: { fromAttribute: (value: string | null) => value !== 'false' },
};
const optionalNumber = {
  converter: {
    fromAttribute: (value: string | null) => (value === null || !Number.isFinite(Number(value)) ? null : Number(value)),
  },
};
const flag = (attribute: string) => ({ type: Boolean, attribute });

/** Properties and attributes of the public element. */
export const configProperties: PropertyDeclarations = {
  endpoint: {},
  headers: { attribute: false },
  apiKey: { attribute: false },
  transport: { attribute: false },
  sessionId: { attribute: 'session-id', reflect: true },
  accept: {},
  maxFiles: { attribute: 'max-files', ...optionalNumber },
  maxFileSize: { attribute: 'max-file-size', ...optionalNumber },
  maxTotalSize: { attribute: 'max-total-size', ...optionalNumber },
  maxPixels: { attribute: 'max-pixels', ...optionalNumber },
  validate: { attribute: false },
  concurrency: { type: Number },
  retries: { type: Number },
  stallTimeout: { type: Number, attribute: 'stall-timeout' },
  batchSize: { type: Number, attribute: 'batch-size' },
  autoUpload: { attribute: 'auto-upload', ...onByDefault },
  autoAnalyze: flag('auto-analyze'),
  importBy: { attribute: 'import-by' },
  analyzeOptions: { attribute: false },
  noDrop: flag('no-drop'),
  noPaste: flag('no-paste'),
  noFolder: flag('no-folder'),
  noSample: flag('no-sample'),
  noAnalyze: flag('no-analyze'),
  noDownload: flag('no-download'),
  mode: {},
  format: {},
  preset: {},
  responsive: { type: Boolean },
  responsiveSizes: { attribute: false },
  locale: {},
  strings: { attribute: false },
  disabled: { type: Boolean, reflect: true },
  readonly: { type: Boolean, reflect: true },
  i18n: { state: true },
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
