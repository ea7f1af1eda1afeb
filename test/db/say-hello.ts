import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { deserialize, serialize } from 'bson';
import { onTestFinished } from 'vitest';

type Doc = Record<string, unknown>;
/** Answers a command; null is silence. */
export type Answer = (command: Doc, port: number) => Doc | null;

const OP_QUERY = 2004;
const OP_REPLY = 1;
const OP_MSG = 2013;

/** What a standalone server of MongoDB 8 says of itself. */
export const STANDALONE = {
  ismaster: true,
  isWritablePrimary: true,
  helloOk: true,
  maxBsonObjectSize: 16_777_216,
  maxMessageSizeBytes: 48_000_000,
  maxWriteBatchSize: 100_000,
  minWireVersion: 0,
  maxWireVersion: 25,
  logicalSessionTimeoutMinutes: 30,
  readOnly: false,
  ok: 1,
};

/**
 * Serves MongoDB's protocol with given answers, for what no server at hand says: sets, versions, refusals. Returns its port.
 */
export async function sayHello(
  answer: Answer,
  { tls, port: wanted = 0 }: { tls?: TlsOptions; port?: number } = {},
): Promise<number> {
  const sockets = new Set<Socket>();
  let port = 0;
  const serve = (socket: Socket) => {
    let bytes = Buffer.alloc(0);
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      bytes = Buffer.concat([bytes, chunk]);
      while (bytes.length >= 16 && bytes.length >= bytes.readInt32LE(0)) {
        const message = bytes.subarray(0, bytes.readInt32LE(0));
        bytes = bytes.subarray(message.length);
        const reply = replyTo(message, (command) => answer(command, port));
        if (reply) socket.write(reply);
      }
      // Another protocol.
      if (bytes.length >= 4 && bytes.readInt32LE(0) > 48_000_000) socket.destroy();
    });
  };
  const server = tls ? createTlsServer(tls, serve) : createServer(serve);
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(wanted, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return port;
}

function replyTo(message: Buffer, answer: (command: Doc) => Doc | null): Buffer | null {
  const [id, code] = [message.readInt32LE(4), message.readInt32LE(12)];
  const isOld = code === OP_QUERY;
  // An old query has flags, a name, and two numbers before its document.
  const start = isOld ? message.indexOf(0, 20) + 9 : 21;
  const reply = answer(deserialize(message.subarray(start, start + message.readInt32LE(start))));
  if (!reply) return null;
  const body = Buffer.from(serialize(reply));
  const head = Buffer.alloc(isOld ? 36 : 21);
  head.writeInt32LE(head.length + body.length, 0);
  head.writeInt32LE(id, 8);
  head.writeInt32LE(isOld ? OP_REPLY : OP_MSG, 12);
  if (isOld) head.writeInt32LE(1, 32);
  return Buffer.concat([head, body]);
}
