import { expect } from 'vitest';
import { type Client, type ClientOptions, createClient } from '../../../plugin-bridge/sdk/index.ts';
import { type FaultProxy, startFaultProxy } from '../../support/fault-proxy.ts';
import { startTestService } from '../../support/service.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';
import { plainImages } from '../../support/small-images.ts';

/** The real service and a proxy before it with scripted faults. */
export interface SdkHarness {
  test: SharedService;
  proxy: FaultProxy;
  /** Creates a client of a new account, through the proxy, with short retries. */
  createClient(options?: Partial<ClientOptions> & { credits?: number }): Promise<Client>;
  close(): Promise<void>;
}

/** Starts a proxy before the shared service, or before a new one with the settings in `env`. */
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

/** Uploads `count` new small pictures. Returns the body of an export of all of them. */
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

/** Returns the charges, newest first. */
export async function chargesOf(client: Client): Promise<number[]> {
  const { transactions } = await client.listTransactions();
  return transactions.filter(({ kind }) => kind === 'charge' || kind === 'refund').map(({ delta }) => delta);
}

/** Fails unless `count` images were charged, once each, in one entry of the ledger, without a refund. */
export async function expectOneCharge(client: Client, count: number): Promise<void> {
  expect(await chargesOf(client)).toEqual([-count]);
}
