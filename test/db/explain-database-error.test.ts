import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { connectDatabase } from '../../server/db/connect.ts';
import { diagnoseDatabase, explainDatabaseError } from '../../server/db/index.ts';
import { type Answer, STANDALONE, sayHello } from './say-hello.ts';

const TLS = fileURLToPath(new URL('../fixtures/tls/', import.meta.url));
const cert = { key: readFileSync(`${TLS}key.pem`), cert: readFileSync(`${TLS}certificate.pem`) };
const LIMIT_MS = 1000;

/** Returns what is told of a database that cannot be used with this connection string. */
async function told(uri: string) {
  try {
    const connection = await connectDatabase({ uri, timeoutMs: LIMIT_MS });
    try {
      await connection.db?.command({ buildInfo: 1 });
    } finally {
      await connection.close();
    }
  } catch (error) {
    return diagnoseDatabase(error, uri);
  }
  throw new Error('the database can be used');
}

/** Says hello as given and refuses everything else. */
const refusing =
  (code: number, codeName: string): Answer =>
  (command) =>
    'hello' in command || 'ismaster' in command
      ? { ...STANDALONE, saslSupportedMechs: ['SCRAM-SHA-256'] }
      : { ok: 0, code, codeName, errmsg: `refused: ${codeName}` };

const member =
  (fields: object): Answer =>
  (_command, port) => ({
    ...STANDALONE,
    setName: 'rs0',
    setVersion: 1,
    hosts: [`127.0.0.1:${port}`],
    me: `127.0.0.1:${port}`,
    ...fields,
  });
const SECONDARY = { ismaster: false, isWritablePrimary: false, secondary: true };

it('nothing listens, or no such host: waiting may help', async () => {
  expect(await told('mongodb://user:secret@127.0.0.1:1/x')).toMatchObject({
    code: 'refused',
    passes: true,
    came: expect.stringMatching(/^127\.0\.0\.1:1: connect ECONNREFUSED/),
  });
  for (const uri of ['mongodb://nothing.invalid/x', 'mongodb+srv://user:secret@nothing.invalid/x'])
    expect(await told(uri)).toMatchObject({
      code: 'unknown_host',
      passes: true,
      came: expect.stringContaining('nothing.invalid'),
    });
});

it('a server that is too old names its version', async () => {
  const port = await sayHello(() => ({ ...STANDALONE, maxWireVersion: 6 }));
  expect(await told(`mongodb://127.0.0.1:${port}/x`)).toMatchObject({
    code: 'too_old',
    passes: false,
    came: expect.stringContaining('wire version 6'),
    todo: 'use MongoDB 6.0 or newer',
  });
});

it('TLS that one side does not speak is told as such', async () => {
  const plain = await sayHello(() => STANDALONE);
  const refused = await told(`mongodb://127.0.0.1:${plain}/x?tls=true`);
  expect(refused).toMatchObject({ code: 'tls_refused', passes: false, came: `127.0.0.1:${plain} does not speak TLS` });
  const secure = await sayHello(() => STANDALONE, { tls: cert });
  const wanted = await told(`mongodb://127.0.0.1:${secure}/x`);
  expect(wanted).toMatchObject({ code: 'tls_wanted', passes: false, todo: 'add tls=true to the connection string' });
  expect(await told(`mongodb://127.0.0.1:${secure}/x?tls=true`)).toMatchObject({
    code: 'certificate',
    passes: false,
    came: expect.stringContaining('self-signed certificate'),
  });
  const missing = await told(`mongodb://127.0.0.1:${secure}/x?tls=true&tlsCAFile=/nowhere/ca.pem`);
  expect(missing).toMatchObject({ code: 'unreadable_file', passes: false });
});

it('a set of another name is named', async () => {
  const port = await sayHello(member({ primary: 'yes' }));
  expect(await told(`mongodb://127.0.0.1:${port}/x?replicaSet=rs1`)).toEqual({
    code: 'wrong_set',
    came: 'no server there belongs to the replica set rs1; it belongs to rs0',
    todo: 'set replicaSet=rs0 in the connection string',
    passes: false,
  });
  const alone = await sayHello(() => STANDALONE);
  expect(await told(`mongodb://127.0.0.1:${alone}/x?replicaSet=rs1`)).toMatchObject({
    code: 'wrong_set',
    todo: 'remove replicaSet from the connection string',
  });
});

it('a set without a primary, one that does not exist yet, and members that are not reached: waiting may help', async () => {
  const secondary = await sayHello(member(SECONDARY));
  expect(await told(`mongodb://127.0.0.1:${secondary}/x?replicaSet=rs0`)).toMatchObject({
    code: 'no_primary',
    passes: true,
    came: `the replica set rs0 has no primary (127.0.0.1:${secondary})`,
  });
  const ghost = await sayHello(() => ({ ...STANDALONE, ...SECONDARY, secondary: false, isreplicaset: true }));
  expect(await told(`mongodb://127.0.0.1:${ghost}/x`)).toMatchObject({ code: 'not_initiated', passes: true });
  const elsewhere = await sayHello(member({ hosts: ['mongo-0.invalid:27017'], me: 'mongo-0.invalid:27017' }));
  expect(await told(`mongodb://127.0.0.1:${elsewhere}/x?replicaSet=rs0`)).toMatchObject({
    code: 'unreachable_members',
    passes: true,
    came: expect.stringContaining('mongo-0.invalid:27017'),
  });
});

it('a refused log-in, a missing right and refused retryable writes end at once', async () => {
  const wrong = await sayHello(refusing(18, 'AuthenticationFailed'));
  const uri = `mongodb://user:se%3Acret@127.0.0.1:${wrong}/x`;
  expect(await told(uri)).toMatchObject({ code: 'authentication', passes: false });
  const closed = await sayHello(refusing(13, 'Unauthorized'));
  expect(await told(`mongodb://127.0.0.1:${closed}/x`)).toMatchObject({ code: 'not_authorized', passes: false });
  const modest = await sayHello(refusing(301, 'RetryableWritesNotSupported'));
  expect(await told(`mongodb://127.0.0.1:${modest}/x`)).toMatchObject({
    code: 'retryable_writes',
    passes: false,
    todo: expect.stringContaining('retryWrites=false'),
  });
});

it('silence, and a server of another protocol', async () => {
  const silent = await sayHello(() => null);
  expect(await told(`mongodb://127.0.0.1:${silent}/x`)).toMatchObject({
    code: 'silent',
    passes: true,
    came: `127.0.0.1:${silent} does not answer`,
  });
  const web = createServer((socket) => void socket.on('error', () => {}).end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  const { port } = web.address() as { port: number };
  expect(await told(`mongodb://127.0.0.1:${port}/x`)).toMatchObject({ code: 'closed', passes: true });
  web.close();
});

it('no text repeats the password, and an error of something else is not explained', () => {
  const uri = 'mongodb://user:se%3Acret@host/x';
  const error = Object.assign(new Error('refused se%3Acret or se:cret'), { name: 'MongoServerError', code: 18 });
  expect(explainDatabaseError(error, uri)?.came).toBe('refused *** or ***');
  expect(explainDatabaseError(new TypeError('a fault of ours'), uri)).toBeNull();
});
