import { expect, it, vi } from 'vitest';
import { openDatabase, openWithin } from '../../server/db/index.ts';
import { StartError } from '../../server/errors.ts';
import { useDatabase } from './embedded/embedded-fixture.ts';
import { lateStore } from './late-store.ts';
import { STANDALONE, sayHello } from './say-hello.ts';

const store = useDatabase();

it('a database that comes up later is waited for, and told once', async () => {
  const { uri, appear } = await lateStore(store.uri);
  const told: (string | null)[] = [];
  const open = vi.fn(() => openDatabase({ uri, timeoutMs: 500 }));
  const database = await openWithin(uri, open, {
    waitMs: 600_000,
    onWait(fault) {
      told.push(fault?.code ?? null);
      if (open.mock.calls.length === 1) setTimeout(appear, 2500);
    },
  });
  await database.ping();
  await database.close();
  expect(open.mock.calls.length).toBeGreaterThan(2);
  expect(told).toEqual(['refused', null]);
});

it('one that stays away is given up after the wait, in one line', async () => {
  const { uri } = await lateStore(store.uri);
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
