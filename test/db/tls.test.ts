import { readFileSync } from 'node:fs';
import { type AddressInfo, connect as connectTo, type Socket } from 'node:net';
import { createServer } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { connectDatabase } from '../../server/db/connect.ts';
import { useDatabase } from './embedded/embedded-fixture.ts';

const TLS = fileURLToPath(new URL('../fixtures/tls/', import.meta.url));
const database = useDatabase();

/** Starts the end of TLS before the store. Returns its connection string. */
async function startTls(): Promise<string> {
  const path = decodeURIComponent(/^mongodb:\/\/([^/]+)\//.exec(database.uri)?.[1] ?? '');
  const sockets = new Set<Socket>();
  const cert = { key: readFileSync(`${TLS}key.pem`), cert: readFileSync(`${TLS}certificate.pem`) };
  const server = createServer(cert, (socket) => {
    const store = connectTo(path);
    for (const one of [socket, store]) {
      sockets.add(one);
      one.on('error', () => {});
    }
    socket.pipe(store).pipe(socket);
  });
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `mongodb://127.0.0.1:${(server.address() as AddressInfo).port}/embedded?directConnection=true&tls=true`;
}

it('a database behind TLS is used with the authority that the connection string names, and not without', async () => {
  const uri = await startTls();
  const trusting = await connectDatabase({ uri: `${uri}&tlsCAFile=${encodeURIComponent(`${TLS}certificate.pem`)}` });
  onTestFinished(() => trusting.close());
  await trusting.collection<{ _id: string }>('counters').insertOne({ _id: 'over TLS' });
  expect(await database.connection.collection('counters').countDocuments({ _id: 'over TLS' as never })).toBe(1);
  await expect(connectDatabase({ uri, timeoutMs: 1000 })).rejects.toThrow(/self[- ]signed certificate/i);
});
