import type { EventDetails } from './state/index.ts';

/** The element's own events, by name: `addEventListener('io-export', (event) => event.detail.results)`. */
export type ImageOptimizerEventMap = {
  [Name in keyof EventDetails]: CustomEvent<EventDetails[Name]>;
};
