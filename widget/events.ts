import type { EventDetails } from './state/index.ts';

/** Events of the element by name: `addEventListener('io-export', (event) => event.detail.results)`. */
export type ImageOptimizerEventMap = {
  [Name in keyof EventDetails]: CustomEvent<EventDetails[Name]>;
};
