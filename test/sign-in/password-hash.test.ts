import { describe, expect, it } from 'vitest';
import { createPasswordHash } from '../../server/sign-in/password-rules.ts';
import { rejection } from '../accounts/accounts-fixture.ts';

/** Cheap hashes, since their cost is not tested here. */
const CHEAP = { ln: 4, r: 8, p: 1 };
const cheap = createPasswordHash({ cost: CHEAP });

describe('password hashes', () => {
  it('contain their cost and a random salt, and not the password', async () => {
    const [first, second] = [await cheap.hash('a secret'), await cheap.hash('a secret')];
    expect(first).toMatch(/^\$scrypt\$ln=4,r=8,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
    expect(first).not.toBe(second);
    expect(await cheap.verify('a secret', first)).toBe(true);
    expect(await cheap.verify('a secret', second)).toBe(true);
    expect(await cheap.verify('another', first)).toBe(false);
  });

  it('match the same text in another Unicode normalization', async () => {
    const composed = await cheap.hash('caf\u00e9 au lait');
    expect(await cheap.verify('cafe\u0301 au lait', composed)).toBe(true);
  });

  it('of an earlier cost remain valid and are outdated', async () => {
    const old = await createPasswordHash({ cost: { ln: 5, r: 8, p: 2 } }).hash('a secret');
    expect(await cheap.verify('a secret', old)).toBe(true);
    expect([cheap.isOutdated(old), cheap.isOutdated(await cheap.hash('x'))]).toEqual([true, false]);
  });

  it.each([null, '', 'plain', '$scrypt$ln=4,r=8,p=1$AAAA$AAAA', '$2b$10$abcdefghijklmnopqrstuv'])(
    'that is %j matches no password',
    async (stored) => {
      for (const password of ['', 'plain', 'AAAA']) expect(await cheap.verify(password, stored)).toBe(false);
    },
  );

  it('that do not exist take the same work', async () => {
    const hashes = createPasswordHash({ cost: { ln: 14, r: 8, p: 1 } });
    const stored = await hashes.hash('x');
    // Processor time of this process, of which others on the machine take none: several rounds, since it is also collected.
    const workOf = async (hash: string | null) => {
      const before = process.cpuUsage();
      for (let round = 0; round < 4; round += 1) await hashes.verify('y', hash);
      return process.cpuUsage(before).user;
    };
    expect((await workOf(null)) / (await workOf(stored))).toBeGreaterThan(0.5);
  });

  it('have the cost that OWASP recommends by default', async () => {
    expect(await createPasswordHash().hash('x')).toMatch(/^\$scrypt\$ln=15,r=8,p=3\$/);
  });

  it('are computed two at a time; beyond a queue of fifty, calls are rejected as overloaded', async () => {
    const tries = await Promise.all(
      Array.from({ length: 60 }, () =>
        cheap.hash('x').then(
          () => 'hashed',
          (error) => error.code as string,
        ),
      ),
    );
    expect(tries.filter((outcome) => outcome === 'hashed')).toHaveLength(52);
    expect(tries.filter((outcome) => outcome === 'overloaded')).toHaveLength(8);
    expect(await rejection(Promise.all(Array.from({ length: 60 }, () => cheap.hash('x'))))).toMatchObject({
      code: 'overloaded',
      headers: { 'Retry-After': '5' },
    });
  });
});
