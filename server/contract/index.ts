// Owns the wire contract: schemas, error catalogue, limits, events, endpoint table. Knows zod and nothing of the service.
export { ERROR_CATALOGUE, type ErrorCode } from './error-codes.ts';
export {
  DEFAULT_RESPONSIVE_WIDTHS,
  INPUT_FORMATS,
  type InputFormat,
  OUTPUT_FORMATS,
  type OutputFormat,
  PRESETS,
  type Preset,
  type ResponsiveSize,
  responsiveSizeSchema,
  type Settings,
  settingsSchema,
} from './settings.ts';
export { WARNING_CODES, type Warning, type WarningCode, warning, warningSchema } from './warnings.ts';
