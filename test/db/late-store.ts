import { connect, createServer, type Server } from 'node:net';
import { onTestFinished } from 'vitest';

/** Returns a port that nobody listens on. */
export async function freePort(): Promise<number> {
  const taken = createServer();
  const port = await listenOn(taken, 0);
  await new Promise<void>((resolve) => taken.close(() => resolve()));
  return port;
}

/**
 * Chooses an address for an embedded store whose connection string names a Unix socket.
 * @returns the connection string of the address, and a function that begins to serve there
 */
export async function lateStore(store: string): Promise<{ uri: string; appear(): Promise<void> }> {
  const path = decodeURIComponent(/^mongodb:\/\/([^/]+)\//.exec(store)?.[1] ?? '');
  const port = await freePort();
  const proxy = createServer((client) => {
    const behind = connect(path);
    client.on('error', () => behind.destroy()).on('close', () => behind.destroy());
    behind.on('error', () => client.destroy()).on('close', () => client.destroy());
    client.pipe(behind).pipe(client);
  });
  onTestFinished(() => void proxy.close());
  return {
    uri: `mongodb://127.0.0.1:${port}/embedded?directConnection=true`,
    appear: async () => void (await listenOn(proxy, port)),
  };
}

function listenOn(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve((server.address() as { port: number }).port));
  });
}
