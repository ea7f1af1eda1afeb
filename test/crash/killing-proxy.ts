import { connect, createServer, type Socket } from 'node:net';
import { createFramer, parseRequest } from '../../server/db/embedded/wire.ts';

/** Moment of a kill: before the store has heard of the write, or when it is on disk and its writer has not heard of it. */
export type KillMoment = 'before' | 'after';

/** A proxy before a store that ends a process at one of its writes. */
export interface KillingProxy {
  /** MongoDB connection string through the proxy. */
  uri: string;
  /** Calls `kill` at the write with this number, counted from now, from 1. */
  arm(number: number, moment: KillMoment, kill: () => void): void;
  /** Names of the writes since `arm`. */
  writes: string[];
  close(): Promise<void>;
}

const WRITES = new Set(['insert', 'update', 'delete', 'findAndModify']);
/** Written by what runs in the background, at any time. */
const BACKGROUND = new Set(['chores', 'cluster', 'nodes', 'counters']);

/** Starts a proxy before the Unix socket of a MongoDB connection string. */
export async function startKillingProxy(target: string): Promise<KillingProxy> {
  const path = decodeURIComponent(/^mongodb:\/\/([^/]+)\//.exec(target)?.[1] ?? '');
  const writes: string[] = [];
  let armed: { number: number; moment: KillMoment; kill: () => void } | undefined;
  const sockets = new Set<Socket>();

  /** Counts a message; returns true if its writer ends now. */
  const isLast = (message: Buffer): boolean => {
    if (!armed) return false;
    const { name, command } = parseRequest(message);
    const collection = String(command[name]);
    if (!WRITES.has(name) || BACKGROUND.has(collection)) return false;
    writes.push(`${name} ${collection}`);
    return writes.length === armed.number;
  };

  const server = createServer((client) => {
    const store = connect(path);
    const split = createFramer();
    let ends = false;
    for (const socket of [client, store]) {
      sockets.add(socket);
      socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    }
    client
      .on('close', () => store.end())
      .on('data', (chunk) => {
        for (const message of split(chunk)) {
          if (ends) return;
          ends = isLast(message);
          if (ends && armed?.moment === 'before') return armed.kill();
          store.write(message);
        }
      });
    store
      .on('close', () => client.destroy())
      .on('data', (chunk) => {
        if (ends) armed?.kill();
        else client.write(chunk);
      });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    uri: `mongodb://127.0.0.1:${port}/embedded?directConnection=true`,
    writes,
    arm(number, moment, kill) {
      writes.length = 0;
      armed = { number, moment, kill };
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
