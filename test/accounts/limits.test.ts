import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { forEachLimit } from '#contract';
import { accountsConfig, PLACEHOLDER_EMAIL } from '../../server/accounts/index.ts';
import { createPlans } from '../../server/accounts/plans.ts';
import { rejection, useAccounts } from './accounts-fixture.ts';

const PLANS = JSON.stringify({
  free: { keys: 1, samplesPerDay: 10, analysesPerDay: 20, storageMb: 1, sessions: 2 },
  storing: { keys: 1, storageMb: 1 },
  open: { keys: 1 },
});
const fixture = useAccounts(accountsConfig.parse({ PLANS }));
const EVENING = new Date('2026-03-01T23:59:30Z');

test('images of a day are counted up to the limit, and anew from midnight', async () => {
  fixture.clock.now = EVENING;
  const id = await fixture.newAccount('free');
  const { limits } = fixture.accounts;
  await limits.count(id, 'samples', 6);
  expect(await rejection(limits.count(id, 'samples', 5))).toMatchObject({
    code: 'daily_limit_reached',
    status: 429,
    details: { limitName: 'samplesPerDay', limit: 10, used: 6 },
    headers: { 'Retry-After': '30' },
  });
  await limits.count(id, 'samples', 4);
  await limits.count(id, 'analyses', 20);
  const resetsAt = '2026-03-02T00:00:00.000Z';
  expect(await limits.show(id)).toMatchObject({
    samplesPerDay: { limit: 10, used: 10, resetsAt },
    analysesPerDay: { limit: 20, used: 20, resetsAt },
  });
  fixture.clock.now = new Date(EVENING.getTime() + 30_000);
  expect(await limits.show(id)).toMatchObject({ samplesPerDay: { used: 0 }, analysesPerDay: { used: 0 } });
  await limits.count(id, 'samples', 10);
});

test('a limit that is new in a version counts from 0 on a day that an earlier version began', async () => {
  fixture.clock.now = EVENING;
  const id = await fixture.newAccount('free');
  const { limits } = fixture.accounts;
  const today = { day: '2026-03-01', samples: 3 };
  await fixture.connection.model('Account').collection.updateOne({ _id: id as never }, { $set: { today } });
  expect(await limits.show(id)).toMatchObject({ samplesPerDay: { used: 3 }, analysesPerDay: { used: 0 } });
  await limits.count(id, 'analyses', 19);
  expect(await rejection(limits.count(id, 'analyses', 2))).toMatchObject({ details: { limit: 20, used: 19 } });
  expect(await limits.show(id)).toMatchObject({ samplesPerDay: { used: 3 }, analysesPerDay: { used: 19 } });
});

test('requests at the same moment do not exceed the limit together', async () => {
  const id = await fixture.newAccount('free');
  const { limits } = fixture.accounts;
  const outcomes = await Promise.allSettled(Array.from({ length: 12 }, () => limits.count(id, 'samples', 1)));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
  expect((await limits.show(id)).samplesPerDay?.used).toBe(10);
});

test('what is given back can be used again on the same day, and does not count for the next', async () => {
  fixture.clock.now = EVENING;
  const id = await fixture.newAccount('free');
  const { limits } = fixture.accounts;
  const counted = await limits.count(id, 'samples', 10);
  await limits.giveBack(id, counted);
  const again = await limits.count(id, 'samples', 10);
  fixture.clock.now = new Date(EVENING.getTime() + 60_000);
  await limits.count(id, 'samples', 3);
  await limits.giveBack(id, again);
  expect((await limits.show(id)).samplesPerDay?.used).toBe(3);
});

test('operators, the first account and accounts of a plan without limits are not limited', async () => {
  const operator = await fixture.newAccount('free');
  await fixture.accounts.setRole(operator, 'operator');
  const first = (await fixture.accounts.create({ email: PLACEHOLDER_EMAIL, plan: 'free' })).id;
  for (const id of [operator, first, await fixture.newAccount('open')]) {
    const { limits } = fixture.accounts;
    await limits.count(id, 'samples', 1000);
    await limits.requireRoom(id);
    expect(await limits.storageOf(id)).toBeNull();
    expect(await limits.show(id)).toEqual(forEachLimit(() => null));
  }
});

const sessionOf = (accountId: string, bytes: number, name: string = randomUUID()) => ({
  _id: `sess_${name}`,
  accountId,
  createdAt: fixture.clock.now,
  expiresAt: new Date(fixture.clock.now.getTime() + 3_600_000),
  imageCount: 1,
  bytes,
  deletedAt: null,
  forget: [],
});

const bytesOf = async (accountId: string) => (await fixture.repositories.storedBytes.find(accountId))?.bytes;

test('storage is one limit of all servers, and what is removed can be stored again', async () => {
  const id = await fixture.newAccount('storing');
  const { sessions } = fixture.repositories;
  const servers = [fixture.accounts, fixture.createWith({}), fixture.createWith({})];
  const outcomes = await Promise.allSettled(
    Array.from({ length: 12 }, (_, index) => {
      const session = sessionOf(id, 300_000, `${id}-${index}`);
      const { limits } = servers[index % servers.length] as typeof fixture.accounts;
      return limits.within(id, { bytes: session.bytes, isNewSession: true }, async () => sessions.insert(session));
    }),
  );
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
  for (const outcome of outcomes)
    if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'storage_limit_reached' });
  const { limits } = fixture.accounts;
  expect((await limits.show(id)).storageMb).toEqual({ limit: 1, used: 0.9 });
  const [first] = await sessions.findOfAccount(id, 1);
  await sessions.addBytes(first as never, 50_000);
  expect(await bytesOf(id)).toBe(950_000);
  await sessions.remove(first?._id ?? '');
  expect(await bytesOf(id)).toBe(await sessions.bytesOfAccount(id));
  // A full session adds nothing.
  await limits.within(id, { bytes: 300_000 }, async () => null);
  expect(await bytesOf(id)).toBe(600_000);
});

test('a count of storage that a crash has left too high is made anew at the limit', async () => {
  const id = await fixture.newAccount('storing');
  const { limits } = fixture.accounts;
  const { sessions, storedBytes } = fixture.repositories;
  await limits.within(id, { bytes: 100_000 }, () => sessions.insert(sessionOf(id, 100_000)));
  await storedBytes.add(id, 950_000);
  await limits.requireRoom(id);
  expect(await limits.storageOf(id)).toBe(1_000_000);
  // A server dies between the count and the record: for ten minutes it may still be at work.
  await storedBytes.take(id, 900_000, { most: 1e6, now: fixture.clock.now });
  expect(await rejection(limits.requireRoom(id))).toMatchObject({ code: 'storage_limit_reached' });
  fixture.clock.now = new Date(fixture.clock.now.getTime() + 601_000);
  await limits.within(id, { bytes: 200_000 }, () => sessions.insert(sessionOf(id, 200_000)));
  expect(await bytesOf(id)).toBe(300_000);
});

test('sessions are one limit of all servers', async () => {
  const id = await fixture.newAccount('free');
  const { sessions } = fixture.repositories;
  const servers = Array.from({ length: 4 }, () => fixture.createWith({}));
  // A first count at the moment of a removal may take it off twice (ADR 36).
  await fixture.accounts.limits.show(id);
  await Promise.allSettled(
    servers.map(({ limits }) => {
      const session = sessionOf(id, 1000);
      const undo = () => sessions.remove(session._id);
      return limits.within(id, { bytes: 1000, isNewSession: true }, () => sessions.insert(session), undo);
    }),
  );
  expect(await sessions.countLive(id, fixture.clock.now)).toBeLessThanOrEqual(2);
  expect(await bytesOf(id)).toBe(await sessions.bytesOfAccount(id));
});

test('the limits that the default plan lacks are listed', () => {
  const missing = (plan: object) =>
    createPlans(accountsConfig.parse({ PLANS: JSON.stringify({ plan }) })).missingLimits();
  expect(missing({ keys: 1 }).missing).toEqual(['samplesPerDay', 'analysesPerDay', 'storageMb', 'sessions']);
  expect(missing({ keys: 1, samplesPerDay: 0, analysesPerDay: 0, storageMb: 1, sessions: 1 }).missing).toEqual([]);
  expect(createPlans(accountsConfig.parse({})).missingLimits()).toEqual({ plan: 'free', missing: [] });
});
