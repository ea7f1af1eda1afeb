import type { Client } from '../sdk/index.ts';

type Method = (...args: unknown[]) => unknown;

/**
 * Wraps a client's calls: after a response with 401 or 403 the login is renewed and the call is repeated once. Bulk runs
 * outlive a nonce by hours.
 */
export function renewingTransport(client: Client, renew: () => Promise<boolean>): Record<string, Method> {
  // Concurrent calls fail together when a nonce expires and share one renewal.
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
          // A second loop resumes the stream where the first one stopped.
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
