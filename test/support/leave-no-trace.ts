import { afterAll, beforeAll, expect, vi } from 'vitest';

// For test files that run one after the other in one process: none may leave anything behind that the next one would see.
let before: ReturnType<typeof stateOfProcess>;
beforeAll(() => {
  before = stateOfProcess();
});
afterAll(() => {
  expect(stateOfProcess()).toEqual(before);
});

/** State that all code in a process shares, besides the modules. */
function stateOfProcess() {
  const events = process.eventNames().filter((name) => !OWN_TO_RUN.has(name));
  return {
    environment: { ...process.env },
    folder: process.cwd(),
    clock: vi.isFakeTimers() ? 'faked' : 'real',
    // Symbols are where Node and libraries keep what they make when it is first asked for, e.g. of `fetch`.
    globals: Object.getOwnPropertyNames(globalThis).filter((name) => !OF_LIBRARIES.has(name)),
    natives: [fetch, setTimeout, setInterval, Date.now, process.stdout.write, process.stderr.write],
    listeners: Object.fromEntries(events.map((name) => [String(name), process.listenerCount(name)])),
  };
}

/** Names that the service sets to a constant value when it first needs a library. */
const OF_LIBRARIES = new Set(['AI_SDK_LOG_WARNINGS']);

/** Processes that a test started are ended with ours, whichever file it was; the rest is the test runner's. */
const OWN_TO_RUN = new Set<string | symbol>(['exit', 'message', 'newListener', 'removeListener']);
