import type { StoreAwayError } from '../errors.ts';
import type { StoreAction } from './store-trouble.ts';

/** Where lines for the operator go. */
export interface StoreLogger {
  warn(facts: object, line: string): void;
  info(facts: object, line: string): void;
}

/** Lines for the operator about a store that refuses or is away. */
export type TroubleLog = ReturnType<typeof createTroubleLog>;

/** Creates the log of a store's troubles: one line for each action and cause, and one when it works again. */
export function createTroubleLog(place: string, logger: StoreLogger) {
  const known = new Map<StoreAction, string>();
  return {
    /** Notes that the store did not do what was asked. */
    failed(action: StoreAction, { message, trouble }: StoreAwayError): void {
      const code = trouble?.code ?? 'silent';
      if (known.get(action) === code) return;
      known.set(action, code);
      logger.warn({ action, code }, message);
    },

    /** Notes that the store did what was asked. */
    worked(action: StoreAction): void {
      if (known.delete(action)) logger.info({ action, place }, `the store of files can ${action} again`);
    },
  };
}
