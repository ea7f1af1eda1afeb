// Owns what the widget knows and does: items, queues, runs, edits, money, announcements. Knows no element and no page.

export type { Upload, UploadFile, UploadOptions } from '../../plugin-bridge/sdk/index.ts';
export { DEFAULT_CONFIG, type OptimizerConfig, type OptimizerOptions } from './core.ts';
export type { Environment, Timer } from './environment.ts';
export {
  CANCELABLE_EVENTS,
  type EventDetails,
  type EventName,
  type FileDetail,
  type OptimizerEvent,
} from './event-details.ts';
export type { ItemStore } from './item-store.ts';
export type { Unsubscribe } from './listeners.ts';
export type * from './messages.ts';
export { Optimizer } from './optimizer.ts';
export { languagesOf } from './review/edits.ts';
export {
  type Counts,
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
export type { AddOutcome } from './uploads/add-files.ts';
export type { FileSource } from './uploads/collect-files.ts';
export { acceptedTypes, NO_LIMITS } from './uploads/restrictions.ts';
