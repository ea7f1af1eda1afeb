import { expect } from 'vitest';
import { type Client, type ClientOptions, createClient } from '../../../plugin-bridge/sdk/index.ts';
import { type FaultProxy, startFaultProxy } from '../../support/fault-proxy.ts';
import { startTestService } from '../../support/service.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';
import { plainImages } from '../../support/small-images.ts';

/** The real service, and a proxy before it that can be told what goes wrong. */
export interface SdkHarness {
  test: SharedService;
  proxy: FaultProxy;
  /** A client of a new account, through the proxy, that is quick to try again. */
  createClient(options?: Partial<ClientOptions> & { credits?: number }): Promise<Client>;
  close(): Promise<void>;
}

/** Starts a proxy before the service that this process shares, or before one of its own with the settings in `env`. */
export async function startSdkHarness(env?: Record<string, string>): Promise<SdkHarness> {
  const own = env && (await startTestService(env));
  const test = own ?? (await sharedService());
  const proxy = await startFaultProxy(test.url);
  return {
    test,
    proxy,
    async createClient({ credits, ...options } = {}) {
      const { apiKey } = await test.createAccount({ credits });
      return createClient({ endpoint: proxy.url, apiKey, retryDelayMs: 10, ...options });
    },
    async close() {
      await proxy.close();
      await own?.close();
    },
  };
}

let made = 0;

/** Uploads `count` small pictures that nobody has seen before; returns the body of an export of all of them. */
export async function uploadPictures(client: Client, count: number) {
  made += 1;
  // Another width for each call, so that nothing is in the cache.
  const pictures = await plainImages(count, { width: 40 + made });
  const files = pictures.map(({ name, bytes }) => ({ name, file: new Blob([bytes as Uint8Array<ArrayBuffer>]) }));
  const { sessionId, images } = await client.createSession({ files });
  return { sessionId, images: images.map(({ id }) => ({ id })) };
}

/** Collects everything of an iterable. */
export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** What was charged, line by line, newest first. */
export async function chargesOf(client: Client): Promise<number[]> {
  const { transactions } = await client.listTransactions();
  return transactions.filter(({ kind }) => kind === 'charge' || kind === 'refund').map(({ delta }) => delta);
}

/** Fails unless `count` images were charged, once each, in one line of the ledger, and nothing was given back. */
export async function expectOneCharge(client: Client, count: number): Promise<void> {
  expect(await chargesOf(client)).toEqual([-count]);
}
