import type { Core } from '../core.ts';

/** Longest wait for the limits, in milliseconds: without them the service itself refuses what is too large. */
const PATIENCE_MS = 1000;

/**
 * Returns a function that asks the service for its limits, once. It asks nothing before the page has named a key, headers or
 * a transport: the service would refuse it. It resolves after a second at the latest, and never rejects.
 */
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
  return async () => {
    const { apiKey, headers, transport } = core.config;
    if (!apiKey && !headers && !transport && !core.sessionId) return;
    asked ??= ask();
    await Promise.race([asked, new Promise<void>((resolve) => core.env.setTimeout(resolve, PATIENCE_MS))]);
  };
}
