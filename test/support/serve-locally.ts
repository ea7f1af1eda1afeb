import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server on a free port of this machine. */
export interface LocalServer {
  /** `http://127.0.0.1:PORT` */
  url: string;
  port: number;
  /** Ends it with all its connections. */
  close(): Promise<void>;
}

/**
 * Starts a server on a free port. It keeps idle connections for ten minutes: with Node's default of five seconds, it can
 * close one while a busy process sends the next request on it, and a POST is not sent again.
 */
export async function serveLocally(server: Server): Promise<LocalServer> {
  server.keepAliveTimeout = 600_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
