/** Keeps a batch from waiting for a service that is down. */
export interface Breaker {
  /** Null while the service is given a rest. After that one caller at a time may try. */
  admit(): Admission | null;
  isOpen(): boolean;
}

/** One admitted call; what it tells counts once. */
export interface Admission {
  succeeded(): void;
  failed(): void;
  /** Ends a call that says nothing about the service, e.g. an aborted one. */
  undecided(): void;
}

const FAILURES = 5;
const REST_MS = 30_000;

/** Creates a breaker that opens for 30 s after 5 failures in a row. @param now milliseconds */
export function createBreaker(now: () => number): Breaker {
  let failures = 0;
  let openUntil = 0;
  /** The one call that decides whether an open breaker closes. */
  let probe: Admission | null = null;

  function admission(): Admission {
    let ended = false;
    const end = (count: () => void) => () => {
      if (ended) return;
      ended = true;
      // What was under way when it opened says nothing about now.
      if (failures >= FAILURES && probe !== self) return;
      if (probe === self) probe = null;
      count();
    };
    const self: Admission = {
      succeeded: end(() => {
        failures = 0;
      }),
      failed: end(() => {
        failures += 1;
        if (failures >= FAILURES) openUntil = now() + REST_MS;
      }),
      undecided: end(() => {}),
    };
    return self;
  }

  return {
    admit() {
      if (failures < FAILURES) return admission();
      if (now() < openUntil || probe) return null;
      probe = admission();
      return probe;
    },
    isOpen: () => failures >= FAILURES && now() < openUntil,
  };
}
