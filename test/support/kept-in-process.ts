/** Functions that end what {@link keptInProcess} has started; the test environment runs them when the process ends. */
const CLOSERS = Symbol.for('imagewright.tests.closers');
type Process = typeof globalThis & { [CLOSERS]?: (() => Promise<void>)[] };

/**
 * Returns a function that starts a thing at its first call and returns the same thing to all test files of this process.
 * A start that fails is tried again by the next call.
 */
export function keptInProcess<T>(start: () => Promise<T>, close: (thing: T) => Promise<void>): () => Promise<T> {
  let started: Promise<T> | undefined;
  return () => {
    started ??= start().then(
      (thing) => {
        closers().push(() => close(thing));
        return thing;
      },
      (error: unknown) => {
        started = undefined;
        throw error;
      },
    );
    return started;
  };
}

/** Ends everything that was kept, last first. */
export async function closeKept(): Promise<void> {
  for (const close of closers().splice(0).reverse()) await close();
}

/** On the global object, since the test environment has an instance of this module of its own. */
function closers(): (() => Promise<void>)[] {
  const shared = globalThis as Process;
  shared[CLOSERS] ??= [];
  return shared[CLOSERS];
}
