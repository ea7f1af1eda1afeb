/** Circuit breaker: refuses calls to a service that keeps failing. */
export interface Breaker {
  /** Admits a call; null while the breaker is open. After that it admits one probe at a time. */
  admit(): Admission | null;
  isOpen(): boolean;
}

/** One admitted call; only the first report counts. */
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
  /** The call whose outcome closes or reopens the breaker. */
  let probe: Admission | null = null;

  function admission(): Admission {
    let ended = false;
    const end = (count: () => void) => () => {
      if (ended) return;
      ended = true;
      // Calls that started before the breaker opened do not count.
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
