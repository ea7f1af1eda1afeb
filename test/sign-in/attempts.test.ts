import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createAttempts } from '../../server/sign-in/attempts.ts';
import { networkOf } from '../../server/sign-in/visitor.ts';

function setUp() {
  let elapsedMs = 0;
  const attempts = createAttempts({ windowMs: 900_000, monotonicNow: () => elapsedMs });
  const wait = (ms: number) => {
    elapsedMs += ms;
  };
  const isRefused = (key: string, limit = 2) => {
    try {
      attempts.take([{ key, limit }]);
      return false;
    } catch {
      return true;
    }
  };
  return { attempts, wait, isRefused };
}

describe('attempts', () => {
  it('are refused beyond the limit until the window ends', () => {
    const { wait, isRefused } = setUp();
    expect([isRefused('a'), isRefused('a'), isRefused('a'), isRefused('b')]).toEqual([false, false, true, false]);
    wait(899_000);
    expect(isRefused('a')).toBe(true);
    wait(1000);
    expect(isRefused('a')).toBe(false);
  });

  it('report the waiting time in whole seconds', () => {
    const { attempts, wait } = setUp();
    attempts.take([{ key: 'a', limit: 1 }]);
    wait(1500);
    expect(() => attempts.take([{ key: 'a', limit: 1 }])).toThrow('try again in 899 seconds');
  });

  it('are not counted for any limit if one of them is reached', () => {
    const { attempts, isRefused } = setUp();
    attempts.take([{ key: 'full', limit: 1 }]);
    for (let index = 0; index < 5; index += 1) {
      expect(() =>
        attempts.take([
          { key: 'free', limit: 2 },
          { key: 'full', limit: 1 },
        ]),
      ).toThrow();
    }
    expect([isRefused('free'), isRefused('free'), isRefused('free')]).toEqual([false, false, true]);
  });

  it('are taken back if legitimate, and forgotten on demand', () => {
    const { attempts, isRefused } = setUp();
    for (let index = 0; index < 5; index += 1) attempts.take([{ key: 'a', limit: 1 }])();
    expect([isRefused('a', 1), isRefused('a', 1)]).toEqual([false, true]);
    attempts.forget('a');
    expect(isRefused('a', 1)).toBe(false);
  });

  it.each([
    ['forwards', 86_400_000],
    ['backwards', -86_400_000],
  ])('are counted as long as ever when the clock is set %s', (_, ms) => {
    const { wait, isRefused } = setUp();
    isRefused('a', 1);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms });
    onTestFinished(() => void vi.useRealTimers());
    expect(isRefused('a', 1)).toBe(true);
    wait(900_000);
    expect(isRefused('a', 1)).toBe(false);
  });

  it('are kept for at most 50,000 keys; the oldest are dropped first', () => {
    const { isRefused } = setUp();
    for (let index = 0; index <= 50_000; index += 1) isRefused(`key-${index}`, 1);
    expect([isRefused('key-0', 1), isRefused('key-50000', 1)]).toEqual([false, true]);
  });

  it('that are refused displace no counted ones', () => {
    const { attempts, isRefused } = setUp();
    expect([isRefused('victim', 1), isRefused('address', 1)]).toEqual([false, false]);
    let refused = 0;
    for (let index = 0; index < 60_000; index += 1) {
      try {
        attempts.take([
          { key: `pair-${index}`, limit: 5 },
          { key: 'address', limit: 1 },
          { key: `email-${index}`, limit: 100 },
        ]);
      } catch {
        refused += 1;
      }
    }
    expect(refused).toBe(60_000);
    expect([isRefused('victim', 1), isRefused('address', 1)]).toEqual([true, true]);
  });

  it('that are taken back displace no counted ones', () => {
    const { attempts, isRefused } = setUp();
    isRefused('victim', 1);
    for (let index = 0; index < 60_000; index += 1) attempts.take([{ key: `key-${index}`, limit: 1 }])();
    expect(isRefused('victim', 1)).toBe(true);
  });

  it('in ended windows are dropped before those in running windows', () => {
    const { wait, isRefused } = setUp();
    for (let index = 0; index < 25_000; index += 1) isRefused(`early-${index}`, 1);
    wait(600_000);
    for (let index = 0; index < 24_999; index += 1) isRefused(`late-${index}`, 1);
    wait(300_000);
    for (let index = 0; index < 20_000; index += 1) isRefused(`new-${index}`, 1);
    expect([isRefused('early-0', 1), isRefused('late-0', 1), isRefused('late-24998', 1)]).toEqual([false, true, true]);
  });
});

describe('the network of an address', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8:1:2::', '2001:db8:1:2'],
    ['::1', '0:0:0:0'],
    ['', 'unknown'],
    ['evil\n', 'unknown'],
  ])('%j is %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
