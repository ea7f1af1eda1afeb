import { createServer, type Socket } from 'node:net';
import type { Engine } from './engine.ts';
import { runCommand } from './run-command.ts';
import { createFramer, encodeReply, parseRequest } from './wire.ts';

/** Creates a server that answers each connection's requests in their order. */
export function createProtocolServer() {
  const sockets = new Set<Socket>();
  let start: (engine: Engine) => void = () => {};
  const engineReady = new Promise<Engine>((resolve) => {
    start = resolve;
  });

  const server = createServer((socket) => {
    sockets.add(socket);
    const frame = createFramer();
    let last: Promise<void> = Promise.resolve();
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk) => {
      try {
        for (const message of frame(chunk)) {
          const request = parseRequest(message);
          const replied = engineReady.then((engine) => runCommand(engine, request));
          const turn = last;
          last = replied.then(async (reply) => {
            await turn;
            if (request.wantsReply && socket.writable) socket.write(encodeReply(request, reply));
          });
          last.catch(() => socket.destroy());
        }
      } catch {
        socket.destroy();
      }
    });
  });
  server.on('error', () => {});

  return {
    server,
    /** Lets connections run commands; until then they wait. */
    serve: (engine: Engine) => start(engine),
    /** Ends all connections. */
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
