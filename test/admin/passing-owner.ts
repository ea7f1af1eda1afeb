import { mkdirSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { createEngine } from '../../server/db/embedded/engine.ts';
import { claimDirectory } from '../../server/db/embedded/ownership.ts';
import { createProtocolServer } from '../../server/db/embedded/server.ts';
import { openStore } from '../../server/db/embedded/store.ts';

/** When the owner of a database ends: as a command of this kind arrives, unread, or done but not answered. */
export interface EndAt {
  commands: RegExp;
  /** 1: the first such command. */
  nth: number;
  done: boolean;
}

/** Offset of the command's name in a message of MongoDB's protocol, in bytes. */
const NAME_AT = 26;

/** Serves the embedded database of a data directory as another process would, until a certain command ends it at once. */
export async function startPassingOwner(dataDir: string, { commands, nth, done }: EndAt) {
  const directory = join(dataDir, 'db');
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const store = openStore(directory);
  const { server, serve, close } = createProtocolServer();
  const sockets = new Set<Socket>();
  let left = nth;
  let ended = false;

  const end = () => {
    ended = true;
    // Closing the protocol leaves unread what has arrived; closing the server alone does not.
    if (!done) void close();
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  server.prependListener('connection', (socket) => {
    sockets.add(socket);
    socket.on('data', (chunk: Buffer) => {
      const [name = ''] = chunk.toString('latin1', NAME_AT, NAME_AT + 20).split('\0');
      if (!ended && commands.test(name) && --left === 0) end();
    });
  });
  const { owner } = await claimDirectory(directory, store, server);
  if (!owner) throw new Error('expected nobody to serve a fresh directory');
  serve(createEngine(store));
  return {
    hasEnded: () => ended,
    /** Ends it if nothing has, and closes its files. */
    async close(): Promise<void> {
      if (!ended) await close();
      await store.close();
    },
  };
}
