import { connect, createServer } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openDatabase, openWithin } from '../../server/db/index.ts';
import { StartError } from '../../server/errors.ts';
import { useDatabase } from './embedded/embedded-fixture.ts';
import { STANDALONE, sayHello } from './say-hello.ts';

const store = useDatabase();

/** A port that nobody listens on yet, and how to serve the store there. */
async function freePort() {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const { port } = taken.address() as { port: number };
  await new Promise<void>((resolve) => taken.close(() => resolve()));
  const path = decodeURIComponent(/^mongodb:\/\/([^/]+)\//.exec(store.uri)?.[1] ?? '');
  const proxy = createServer((client) => {
    const behind = connect(path);
    client.on('error', () => behind.destroy()).on('close', () => behind.destroy());
    behind.on('error', () => client.destroy()).on('close', () => client.destroy());
    client.pipe(behind).pipe(client);
  });
  onTestFinished(() => void proxy.close());
  return {
    uri: `mongodb://127.0.0.1:${port}/embedded?directConnection=true`,
    listen: () => void proxy.listen(port, '127.0.0.1'),
  };
}

it('a database that comes up later is waited for, and told once', async () => {
  const { uri, listen } = await freePort();
  const told: (string | null)[] = [];
  const open = vi.fn(() => openDatabase({ uri, timeoutMs: 500 }));
  const database = await openWithin(uri, open, {
    waitMs: 600_000,
    onWait(fault) {
      told.push(fault?.code ?? null);
      if (open.mock.calls.length === 1) setTimeout(listen, 2500);
    },
  });
  await database.ping();
  await database.close();
  expect(open.mock.calls.length).toBeGreaterThan(2);
  expect(told).toEqual(['refused', null]);
});

it('one that stays away is given up after the wait, in one line', async () => {
  const { uri } = await freePort();
  const open = vi.fn(() => openDatabase({ uri, timeoutMs: 200 }));
  const given = openWithin(uri, open, { waitMs: 2500, onWait() {} });
  await expect(given).rejects.toThrow(StartError);
  await expect(given).rejects.toThrow(
    /^MONGODB_URI: no database responds there \(127\.0\.0\.1:\d+: connect ECONNREFUSED .*\); start the database.*$/,
  );
  expect(open.mock.calls.length).toBeGreaterThan(1);
});

it('a refused log-in and a set of another name are not waited for', async () => {
  const refuses = await sayHello((command) =>
    'hello' in command || 'ismaster' in command
      ? STANDALONE
      : { ok: 0, code: 18, codeName: 'AuthenticationFailed', errmsg: 'Authentication failed.' },
  );
  for (const [uri, line] of [
    [
      `mongodb://user:secret@127.0.0.1:${refuses}/x`,
      /^MONGODB_URI: the database cannot be used \(Authentication failed\.\); mend user/,
    ],
    [
      `mongodb://127.0.0.1:${refuses}/x?replicaSet=rs1`,
      /^MONGODB_URI: .*the replica set rs1; it is a server without a set\); remove replicaSet/,
    ],
  ] as const) {
    const open = vi.fn(() => openDatabase({ uri, timeoutMs: 500 }));
    await expect(openWithin(uri, open, { waitMs: 600_000, onWait: () => expect.unreachable() })).rejects.toThrow(line);
    expect(open).toHaveBeenCalledTimes(1);
  }
});
