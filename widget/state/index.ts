// Owns what the widget knows and does: items, queues, runs, edits, money, announcements. Knows no element and no page.
export type { Environment, Timer } from './environment.ts';
export {
  CANCELABLE_EVENTS,
  type EventDetails,
  type EventName,
  type FileDetail,
  type OptimizerEvent,
} from './event-details.ts';
export type {
  AddOutcome,
  Counts,
  CreateOptimizer,
  FileSource,
  ItemStore,
  Optimizer,
  OptimizerConfig,
  OptimizerOptions,
  Translate,
  Unsubscribe,
} from './optimizer.ts';
export type * from './transport.ts';
export type * from './types.ts';
