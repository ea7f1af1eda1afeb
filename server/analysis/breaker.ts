/** Keeps a batch from waiting for a service that is down. */
export interface Breaker {
  /** False while the service is given a rest. After that one caller at a time may try. */
  admit(): boolean;
  succeeded(): void;
  failed(): void;
  /** Ends a try that says nothing about the service, e.g. an aborted one. */
  undecided(): void;
  isOpen(): boolean;
}

const FAILURES = 5;
const REST_MS = 30_000;

/** Creates a breaker that opens for 30 s after 5 failures in a row. @param now milliseconds */
export function createBreaker(now: () => number): Breaker {
  let failures = 0;
  let openUntil = 0;
  let trying = false;
  return {
    admit() {
      if (failures < FAILURES) return true;
      if (now() < openUntil || trying) return false;
      trying = true;
      return true;
    },
    succeeded() {
      failures = 0;
      trying = false;
    },
    failed() {
      failures += 1;
      trying = false;
      if (failures >= FAILURES) openUntil = now() + REST_MS;
    },
    undecided() {
      trying = false;
    },
    isOpen: () => failures >= FAILURES && now() < openUntil,
  };
}
