// Owns what the widget knows and does: items, queues, runs, edits, money, announcements. Knows no element and no page.

export type { Upload, UploadFile, UploadOptions } from '../../plugin-bridge/sdk/index.ts';
export { DEFAULT_CONFIG } from './core.ts';
export type { Environment, Timer } from './environment.ts';
export {
  CANCELABLE_EVENTS,
  type EventDetails,
  type EventName,
  type FileDetail,
  type OptimizerEvent,
} from './event-details.ts';
export type * from './messages.ts';
export { createOptimizer } from './optimizer.ts';
export type {
  AddOutcome,
  Counts,
  FileSource,
  ItemStore,
  Optimizer,
  OptimizerConfig,
  OptimizerOptions,
  Translate,
  Unsubscribe,
} from './optimizer-interface.ts';
export { languagesOf } from './review/edits.ts';
export {
  canExport,
  EDITABLE_FIELDS,
  isExported,
  isMissingText,
  itemsOf,
  unacceptedFields,
  wantsReview,
} from './review/item-questions.ts';
export { keyOfFile } from './runs/offer-file.ts';
export { pickSamples } from './runs/sample-run.ts';
export type * from './session/saved-types.ts';
export { DEFAULT_SETTINGS, hasCrops, isSize, levelOf } from './session/settings.ts';
export type * from './transport.ts';
export type * from './types.ts';
export { acceptedTypes, NO_LIMITS } from './uploads/restrictions.ts';
