import { createServer, type Socket } from 'node:net';
import type { Engine } from './engine.ts';
import { runCommand } from './run-command.ts';
import { createFramer, encodeReply, parseRequest } from './wire.ts';

/** Time limit for clients to read their last replies when the server closes. */
const FLUSH_MS = 1000;

/** Creates a server that answers the requests of each connection in order. */
export function createProtocolServer() {
  const sockets = new Set<Socket>();
  /** Unanswered requests, including those of closed connections, which may still write. */
  const running = new Set<Promise<void>>();
  let closing = false;
  let start: (engine: Engine) => void = () => {};
  const engineReady = new Promise<Engine>((resolve) => {
    start = resolve;
  });

  const server = createServer((socket) => {
    // The connection itself tells other processes that the directory is served.
    if (closing) return void socket.destroy();
    const frame = createFramer();
    let last: Promise<void> = Promise.resolve();
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk) => {
      if (closing) return;
      try {
        for (const message of frame(chunk)) {
          const request = parseRequest(message);
          const replied = engineReady.then((engine) => runCommand(engine, request));
          const turn = last;
          last = replied.then(async (reply) => {
            await turn;
            if (request.wantsReply && socket.writable) socket.write(encodeReply(request, reply));
          });
          const answered = last.catch(() => void socket.destroy());
          running.add(answered);
          void answered.then(() => running.delete(answered));
        }
      } catch {
        socket.destroy();
      }
    });
  });
  server.on('error', () => {});

  return {
    server,
    /** Starts to run commands; until then they wait. */
    serve: (engine: Engine) => start(engine),
    /**
     * Answers the received requests and runs no later ones, then releases the address and closes all connections. The
     * order matters: a process that finds the address dead may serve the directory at once and must find all writes.
     */
    async close(): Promise<void> {
      closing = true;
      await Promise.all(running);
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.end();
      const deaf = setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, FLUSH_MS);
      await closed;
      clearTimeout(deaf);
    },
  };
}
