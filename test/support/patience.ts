/**
 * Milliseconds that a test waits for a state before it fails: on a quiet machine states come within twelve seconds, and a busy one is
 * ten times slower. What never comes costs a failing run this much.
 */
export const PATIENCE_MS = 120_000;
