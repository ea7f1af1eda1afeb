import { expect, it } from 'vitest';
import { createSharedDailyLimit } from '../../server/analysis/daily-limit.ts';
import { createCounterRepository } from '../../server/db/repositories/counters.ts';
import { countInCluster } from '../../server/gateway/rate-windows.ts';
import { createSharedAttempts } from '../../server/sign-in/shared-attempts.ts';
import { rejection, useDatabase } from './embedded/embedded-fixture.ts';

const database = useDatabase();
const MINUTE = 60_000;

/** Two servers with the clock of the first, on one database. */
function newPair<T>(create: (counters: ReturnType<typeof createCounterRepository>, now: () => Date) => T) {
  const clock = { now: Date.now() };
  const counters = createCounterRepository(database.connection);
  const server = () => create(counters, () => new Date(clock.now));
  return { clock, servers: [server(), server()] as const };
}

it('a rate is one for all servers, whose windows begin with a request', async () => {
  const { clock, servers } = newPair((counters, now) => countInCluster(counters, now));
  const limit = { requests: 50, windowSeconds: 60 };
  const send = (server: number) => servers[server % 2]?.('acct_rate', limit);
  const first = await Promise.all(Array.from({ length: 80 }, (_, server) => send(server)));
  expect(first.filter((counted) => counted?.allowed)).toHaveLength(50);
  expect(await send(0)).toMatchObject({ allowed: false, left: 0 });
  clock.now += MINUTE + 1;
  expect(await send(0)).toMatchObject({ allowed: true, endsInMs: MINUTE });
});

it('a rate of one request is one request', async () => {
  const { servers } = newPair((counters, now) => countInCluster(counters, now));
  const limit = { requests: 1, windowSeconds: 60 };
  const counted = await Promise.all(servers.map((server) => server('acct_single', limit)));
  expect(counted.filter(({ allowed }) => allowed)).toHaveLength(1);
});

it('attempts count on all servers, and can be taken back and forgotten', async () => {
  const { clock, servers } = newPair((counters, now) =>
    createSharedAttempts({ counters, name: 'guesses', windowMs: 15 * MINUTE, now }),
  );
  const [one, two] = servers;
  const limits = [{ key: 'a@b.c 192.0.2.1', limit: 2 }];
  await one.take(limits);
  (await two.take(limits))();
  const takesAgain = async () => two.take(limits);
  await expect
    .poll(() =>
      takesAgain().then(
        () => true,
        () => false,
      ),
    )
    .toBe(true);
  expect((await rejection(Promise.resolve(one.take(limits)))).message).toContain('try again in 900 seconds');
  clock.now += 14 * MINUTE;
  expect((await rejection(Promise.resolve(two.take(limits)))).message).toContain('try again in 60 seconds');
  clock.now += MINUTE;
  await two.take(limits);
  one.forget('a@b.c 192.0.2.1');
  await expect
    .poll(() => database.connection.collection('counters').countDocuments({ _id: /^guesses/ as never }))
    .toBe(0);
});

it('the daily budget of the vision service is one for all servers, and goes on from what was answered', async () => {
  const { servers } = newPair((counters, now) =>
    createSharedDailyLimit({ limit: 37, answers: { countSince: async () => 4 }, counters, now }),
  );
  const take = (server: number) => servers[server % 2]?.take();
  const taken = await Promise.all(Array.from({ length: 60 }, (_, server) => take(server)));
  // One server may hold a few that its own requests did not need.
  for (let server = 0; server < 20; server += 1) taken.push(await take(server));
  expect(taken.filter(Boolean)).toHaveLength(33);
});
