import { describe, expect, it } from 'vitest';
import { createPasswordHash } from '../../server/sign-in/password-hash.ts';
import { rejection } from '../accounts/accounts-fixture.ts';

/** Cheap, since how much work a hash is has nothing to do with what is tested here. */
const CHEAP = { ln: 4, r: 8, p: 1 };
const cheap = createPasswordHash({ cost: CHEAP });

describe('password hashes', () => {
  it('hold their cost and a salt of their own, and nothing of the password', async () => {
    const [first, second] = [await cheap.hash('a secret'), await cheap.hash('a secret')];
    expect(first).toMatch(/^\$scrypt\$ln=4,r=8,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
    expect(first).not.toBe(second);
    expect(await cheap.verify('a secret', first)).toBe(true);
    expect(await cheap.verify('a secret', second)).toBe(true);
    expect(await cheap.verify('another', first)).toBe(false);
  });

  it('are the same for one text in two encodings', async () => {
    const composed = await cheap.hash('caf\u00e9 au lait');
    expect(await cheap.verify('cafe\u0301 au lait', composed)).toBe(true);
  });

  it('of an earlier cost still count, and are known to be outdated', async () => {
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

  it('cost what OWASP asks for unless told otherwise', async () => {
    expect(await createPasswordHash().hash('x')).toMatch(/^\$scrypt\$ln=15,r=8,p=3\$/);
  });

  it('are made two at a time; beyond a queue of fifty callers are told to come back', async () => {
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
