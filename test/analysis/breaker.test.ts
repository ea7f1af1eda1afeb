import { describe, expect, it } from 'vitest';
import { type Admission, createBreaker } from '../../server/analysis/gate.ts';

function openedBreaker() {
  const clock = { now: 0 };
  const breaker = createBreaker(() => clock.now);
  const admitted = () => breaker.admit() as Admission;
  const late = [admitted(), admitted(), admitted()] as const;
  for (let call = 0; call < 5; call += 1) admitted().failed();
  expect(breaker.isOpen()).toBe(true);
  return { breaker, clock, admitted, late };
}

describe('an open breaker', () => {
  it('is not closed by a call that started before it opened', () => {
    const { breaker, late } = openedBreaker();
    late[0].succeeded();
    expect(breaker.isOpen()).toBe(true);
    expect(breaker.admit()).toBeNull();
  });

  it('admits one probe at a time, whatever the outcome of earlier calls', () => {
    const { breaker, clock, admitted, late } = openedBreaker();
    clock.now += 30_000;
    const probe = admitted();
    late[0].undecided();
    late[1].failed();
    late[2].succeeded();
    expect(breaker.admit()).toBeNull();
    probe.succeeded();
    expect(breaker.admit()).not.toBeNull();
    expect(breaker.admit()).not.toBeNull();
  });

  it('reopens if the probe fails, and admits another one if it was undecided', () => {
    const { breaker, clock, admitted } = openedBreaker();
    clock.now += 30_000;
    admitted().undecided();
    const probe = admitted();
    probe.failed();
    probe.succeeded();
    expect(breaker.isOpen()).toBe(true);
    expect(breaker.admit()).toBeNull();
  });
});
