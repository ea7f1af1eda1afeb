import { connect, createServer, type Socket } from 'node:net';

/** Treatment of connections by the proxy. */
export type ProxyMode =
  /** Passes everything on. */
  | 'open'
  /** Drops what is connected and whoever connects. */
  | 'refusing'
  /** Accepts, takes what is sent, and never answers; what is connected falls silent too. */
  | 'silent';

/** A TCP proxy before a Unix socket whose line can be cut in two ways. */
export interface FlakyProxy {
  /** MongoDB connection string through the proxy. */
  uri: string;
  setMode(mode: ProxyMode): void;
  close(): Promise<void>;
}

/** Starts a proxy before the store that a MongoDB connection string with a Unix socket names. */
export async function startFlakyProxy(target: string): Promise<FlakyProxy> {
  const path = decodeURIComponent(/^mongodb:\/\/([^/]+)\//.exec(target)?.[1] ?? '');
  let mode: ProxyMode = 'open';
  const pairs = new Set<[client: Socket, store: Socket]>();

  const server = createServer((client) => {
    client.on('error', () => {});
    if (mode === 'refusing') return void client.destroy();
    const store = connect(path);
    const pair: [Socket, Socket] = [client, store];
    pairs.add(pair);
    const end = () => {
      pairs.delete(pair);
      client.destroy();
      store.destroy();
    };
    store.on('error', end).on('close', end);
    client.on('close', end);
    // Not `pipe`: in silent mode what is sent is taken and lost, in both directions.
    client.on('data', (chunk) => mode === 'open' && store.write(chunk));
    store.on('data', (chunk) => mode === 'open' && client.write(chunk));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };

  const dropAll = () => {
    for (const [client] of pairs) client.destroy();
  };
  return {
    uri: `mongodb://127.0.0.1:${port}/embedded?directConnection=true`,
    setMode(next) {
      // A line that fell silent has lost data: it is of no use any more.
      if (next !== 'silent' && next !== mode) dropAll();
      mode = next;
    },
    async close() {
      dropAll();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
