import { describe, expect, it } from 'vitest';
import { FORMS, useBudgets, WINDOW_MS } from './budget-rig.ts';

const times = <T>(count: number, work: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));

describe.each(FORMS)('a budget %s', (form) => {
  const newBudget = useBudgets(form);

  it('refuses what is beyond the limit until the window ends, for each key', async () => {
    const { take, wait } = newBudget({ isFinal: true });
    expect([await take('a'), await take('a'), await take('a'), await take('b')]).toEqual([true, true, false, true]);
    wait(WINDOW_MS - 1000);
    expect(await take('a')).toBe(false);
    wait(1000);
    expect(await take('a')).toBe(true);
  });

  it('lets through no more than the limit at once', async () => {
    for (const block of [1, 7, 1000]) {
      const { take } = newBudget({ block: () => block, isFinal: true });
      const taken = await times(80, () => take('a', 50));
      // The rest of one server's block cannot be used by the other.
      for (let index = 0; index < 60; index += 1) taken.push(await take('a', 50));
      expect(taken.filter(Boolean)).toHaveLength(50);
    }
  });

  it('tells what is left and when the window ends', async () => {
    const { servers, wait } = newBudget();
    const [one] = servers;
    const window = { key: 'a', limit: 3, windowMs: WINDOW_MS };
    expect(await one.take([window])).toMatchObject({ isTaken: true, left: 2, endsInMs: WINDOW_MS });
    wait(1500);
    expect(await one.take([window])).toMatchObject({ isTaken: true, left: 1, endsInMs: WINDOW_MS - 1500 });
    expect(await one.take([window])).toMatchObject({ isTaken: true, left: 0 });
    expect(await one.take([window])).toMatchObject({ isTaken: false, left: 0, endsInMs: WINDOW_MS - 1500 });
  });

  it('counts towards no limit if one of them is reached', async () => {
    const { servers, take } = newBudget();
    await take('full', 1);
    const both = [
      { key: 'free', limit: 2, windowMs: WINDOW_MS },
      { key: 'full', limit: 1, windowMs: WINDOW_MS },
    ];
    for (let index = 0; index < 10; index += 1)
      expect(await servers[index % 2 === 0 ? 0 : 1].take(both)).toMatchObject({ isTaken: false });
    expect([await take('free'), await take('free'), await take('free')]).toEqual([true, true, false]);
  });

  it('takes back what came to nothing, once, and forgets a key on demand', async () => {
    const { servers, take } = newBudget();
    const [one, two] = servers;
    const window = [{ key: 'a', limit: 2, windowMs: WINDOW_MS }];
    expect(await take('a')).toBe(true);
    const taken = await two.take(window);
    await taken.giveBack();
    await taken.giveBack();
    expect([await take('a'), await take('a')]).toEqual([true, false]);
    await one.forget('a');
    await two.forget('a');
    expect(await take('a')).toBe(true);
  });

  it('what is given back can be taken on every server a second later', async () => {
    const { servers, take, wait } = newBudget();
    const taken = await servers[0].take([{ key: 'a', limit: 1, windowMs: WINDOW_MS }]);
    expect([await take('a', 1), await take('a', 1)]).toEqual([false, false]);
    await taken.giveBack();
    wait(1000);
    expect([await take('a', 1), await take('a', 1)]).toEqual([true, false]);
  });

  it('gives nothing back to a window that has begun since', async () => {
    const { servers, take, wait } = newBudget();
    const before = await servers[0].take([{ key: 'a', limit: 1, windowMs: WINDOW_MS }]);
    wait(WINDOW_MS);
    expect(await take('a', 1)).toBe(true);
    await before.giveBack();
    wait(1000);
    expect([await take('a', 1), await take('a', 1)]).toEqual([false, false]);
  });

  it('begins a window at its first count, which is asked for once at a time', async () => {
    let requests = 0;
    const initial = async () => {
      requests += 1;
      return 4;
    };
    const { take } = newBudget({ initial, block: () => 10, isFinal: true });
    const taken = await times(60, () => take('2031-05-05', 37));
    for (let index = 0; index < 40; index += 1) taken.push(await take('2031-05-05', 37));
    expect(taken.filter(Boolean)).toHaveLength(33);
    // Once on each server.
    expect(requests).toBeLessThanOrEqual(2);
  });

  it('counts nothing while the first count is unknown', async () => {
    let isAway = true;
    const initial = async () => {
      if (isAway) throw new Error('the database is away');
      return 1;
    };
    const { take } = newBudget({ initial });
    const failed = await Promise.allSettled([take('day', 3), take('day', 3)]);
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    isAway = false;
    expect([await take('day', 3), await take('day', 3), await take('day', 3)]).toEqual([true, true, false]);
  });
});

describe('a budget of a process', () => {
  const newBudget = useBudgets('of a process');

  it.each([
    ['forwards', 86_400_000],
    ['backwards', -86_400_000],
  ])('counts as long as ever when the clock is set %s', async (_, ms) => {
    const { take, wait, setClock } = newBudget();
    await take('a', 1);
    setClock(ms);
    expect(await take('a', 1)).toBe(false);
    wait(WINDOW_MS);
    expect(await take('a', 1)).toBe(true);
  });

  it('remembers 50,000 keys; those whose windows began first are dropped first', async () => {
    const { take, wait } = newBudget();
    for (let index = 0; index < 25_000; index += 1) await take(`early-${index}`, 1);
    wait(600_000);
    for (let index = 0; index < 24_999; index += 1) await take(`late-${index}`, 1);
    wait(300_000);
    for (let index = 0; index < 20_000; index += 1) await take(`new-${index}`, 1);
    expect([await take('late-0', 1), await take('late-24998', 1)]).toEqual([false, false]);
    for (let index = 0; index < 6000; index += 1) await take(`more-${index}`, 1);
    expect([await take('late-0', 1), await take('more-5999', 1)]).toEqual([true, false]);
  });

  it('is displaced neither by what is refused nor by what is given back', async () => {
    const { servers, take } = newBudget();
    expect([await take('victim', 1), await take('address', 1)]).toEqual([true, true]);
    for (let index = 0; index < 60_000; index += 1) {
      const refused = [`pair-${index}`, 'address', `email-${index}`];
      await servers[0].take(refused.map((key) => ({ key, limit: 1, windowMs: WINDOW_MS })));
      await (await servers[0].take([{ key: `key-${index}`, limit: 1, windowMs: WINDOW_MS }])).giveBack();
    }
    expect([await take('victim', 1), await take('address', 1)]).toEqual([false, false]);
  });
});

describe('a shared budget', () => {
  const newBudget = useBudgets('shared by two servers');

  it('asks the database a few times for many at once, and not at all for what is used up', async () => {
    const { take, calls } = newBudget({ block: () => 10, isFinal: true });
    expect((await times(60, () => take('a', 37))).filter(Boolean)).toHaveLength(37);
    expect(calls()).toBeLessThanOrEqual(10);
    const before = calls();
    expect((await times(20, () => take('a', 37))).some(Boolean)).toBe(false);
    expect(calls() - before).toBeLessThanOrEqual(2);
    const later = calls();
    await times(20, () => take('a', 37));
    expect(calls()).toBe(later);
  });

  it('asks once a second for what is used up and may be given back', async () => {
    const { servers, calls, wait } = newBudget();
    const window = [{ key: 'a', limit: 5, windowMs: WINDOW_MS }];
    const taken = await times(20, () => servers[0].take(window));
    expect(taken.filter(({ isTaken }) => isTaken)).toHaveLength(5);
    const before = calls();
    await times(20, () => servers[0].take(window));
    expect(calls()).toBe(before);
    wait(1000);
    await times(20, () => servers[0].take(window));
    expect(calls()).toBe(before + 1);
  });

  it('rejects while the database is away, and counts as soon as it is back', async () => {
    const { take, state } = newBudget();
    state.isAway = true;
    const failed = await Promise.allSettled([take('a'), take('a')]);
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    state.isAway = false;
    expect([await take('a'), await take('a'), await take('a')]).toEqual([true, true, false]);
  });
});
