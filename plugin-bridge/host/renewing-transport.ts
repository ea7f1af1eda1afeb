import type { Client } from '../sdk/index.ts';

type Method = (...args: unknown[]) => unknown;

/**
 * A client's calls that, when an answer says that the login was not valid (401, 403), renew it once and try again. Bulk
 * work outlives a nonce by hours.
 */
export function renewingTransport(client: Client, renew: () => Promise<boolean>): Record<string, Method> {
  // Many calls fail at once when a nonce ends: they wait for one renewal.
  let renewal: Promise<boolean> | null = null;
  const renewOnce = () => {
    renewal ??= renew().finally(() => {
      renewal = null;
    });
    return renewal;
  };
  const isRefusal = (error: unknown) => {
    const { status } = (error ?? {}) as { status?: unknown };
    return status === 401 || status === 403;
  };

  async function retried(call: () => Promise<unknown>): Promise<unknown> {
    try {
      return await call();
    } catch (error) {
      if (!isRefusal(error) || !(await renewOnce())) throw error;
      return call();
    }
  }

  function renewed(stream: AsyncIterable<unknown> & Record<string, unknown>) {
    return {
      ...stream,
      jobId: () => retried(stream.jobId as () => Promise<unknown>),
      async *[Symbol.asyncIterator]() {
        try {
          yield* stream;
        } catch (error) {
          if (!isRefusal(error) || !(await renewOnce())) throw error;
          // A stream goes on where it stopped.
          yield* stream;
        }
      },
    };
  }

  const wrap = (method: Method): Method => {
    return (...args) => {
      const call = () => method(...args);
      const first = call();
      if (isStream(first)) return renewed(first);
      let used = false;
      return retried(() => {
        if (used) return call() as Promise<unknown>;
        used = true;
        return first as Promise<unknown>;
      });
    };
  };
  return Object.fromEntries(Object.entries(client).map(([name, method]) => [name, wrap(method as Method)]));
}

function isStream(value: unknown): value is AsyncIterable<unknown> & Record<string, unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
