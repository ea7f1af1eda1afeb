import type { Core } from '../core.ts';

/** Longest wait for the limits, in milliseconds: without them the service itself refuses what is too large. */
const PATIENCE_MS = 1000;

/** Returns a function that asks the service for its limits, once. It resolves after a second at the latest, and never rejects. */
export function createServiceLimits(core: Core): () => Promise<void> {
  let asked: Promise<void> | null = null;

  async function ask(): Promise<void> {
    try {
      core.limits = await core.transport().getLimits();
      core.touch();
    } catch (cause) {
      // A proxy that does not know the address never will.
      if ((cause as { status?: number }).status !== 404) asked = null;
    }
  }
  return () => {
    asked ??= ask();
    return Promise.race([asked, new Promise<void>((resolve) => core.env.setTimeout(resolve, PATIENCE_MS))]);
  };
}
