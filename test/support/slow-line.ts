import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A line to a service that carries only so much from the clients, and all that the service sends. */
export interface SlowLine {
  url: string;
  /** Bytes carried so far. */
  bytes(): number;
  close(): Promise<void>;
}

const PIECE = 4096;

/** Starts a line of `bytesPerSecond`, which all connections share in turns of 4 kB. */
export async function startSlowLine(target: string, bytesPerSecond: number): Promise<SlowLine> {
  const { port } = new URL(target);
  const sockets = new Set<Socket>();
  let carried = 0;
  let turn: Promise<unknown> = Promise.resolve();
  let freeAt = performance.now();

  /** Waits for a turn, and until the line is free after `bytes` bytes. */
  function carry(bytes: number): Promise<unknown> {
    turn = turn.then(() => {
      freeAt = Math.max(freeAt, performance.now()) + (bytes / bytesPerSecond) * 1000;
      carried += bytes;
      return sleep(Math.max(0, freeAt - performance.now()));
    });
    return turn;
  }

  async function forward(client: Socket, service: Socket): Promise<void> {
    await once(service, 'connect');
    for await (const chunk of client as AsyncIterable<Buffer>) {
      for (let at = 0; at < chunk.length; at += PIECE) {
        const piece = chunk.subarray(at, at + PIECE);
        await carry(piece.length);
        if (service.destroyed) return;
        if (!service.write(piece)) await Promise.race([once(service, 'drain'), once(service, 'close')]);
      }
    }
    service.end();
  }

  const server = createServer({ highWaterMark: PIECE, allowHalfOpen: true }, (client) => {
    const service = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true });
    for (const [one, other] of [
      [client, service],
      [service, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => {});
      one.once('close', () => {
        sockets.delete(one);
        other.destroySoon();
      });
    }
    service.pipe(client);
    forward(client, service).catch(() => service.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bytes: () => carried,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
