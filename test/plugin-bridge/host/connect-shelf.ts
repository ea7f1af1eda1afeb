import type { ImageResult, Transaction } from '#contract';
import { type CmsHost, type ConnectOptions, connectHost } from '../../../plugin-bridge/host/index.ts';
import type { TestAccount } from '../../support/service.ts';
import { HeadlessElement } from './headless-element.ts';
import { createStorage, decode } from './shelf.ts';

/** Connects a CMS and an element to a real service, with batches of two images and a separate storage. */
export async function connectShelf({
  url,
  account,
  host,
  transport,
  options = {},
}: {
  url: string;
  /** Absent: the host's headers have the key. */
  account?: TestAccount;
  host: CmsHost;
  /** Calls of the element in the place of its own. */
  transport?: object;
  options?: ConnectOptions;
}) {
  const element = new HeadlessElement({ endpoint: url, apiKey: account?.apiKey });
  if (transport) element.transport = transport;
  /** Errors of images the service could not export. */
  const refusals: unknown[] = [];
  element.addEventListener('io-export', (event) => {
    const { results } = (event as CustomEvent<{ results: ImageResult[] }>).detail;
    refusals.push(...results.flatMap(({ error }) => error ?? []));
  });
  const connection = await connectHost(element, host, { decode, storage: createStorage(), batchSize: 2, ...options });
  return { element, connection, refusals };
}

/** Returns the credits an account has paid for exports. */
export async function charged({ api }: TestAccount): Promise<number> {
  const { transactions } = await api.readJson<{ transactions: Transaction[] }>('/v1/credits/transactions?limit=200');
  const ofExports = transactions.filter(
    ({ kind, ref }) => ['charge', 'refund'].includes(kind) && !ref.startsWith('test-'),
  );
  return ofExports.reduce((sum, { delta }) => sum - delta, 0);
}
