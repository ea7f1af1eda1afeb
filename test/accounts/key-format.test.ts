import { describe, expect, test } from 'vitest';
import { hashSecret, hasKeyForm, makeApiKey, sameHash } from '../../server/ids.ts';

const GOLDEN = ['iw_0000000000000000000000000000003PZPfk', 'iw_abcdefghijklmnopqrstuvwxyz01231QPlvC'];

describe('API key format', () => {
  test.each(GOLDEN)('%s has a correct checksum', (key) => {
    expect(hasKeyForm(key)).toBe(true);
  });

  test('new keys have the right form and differ', () => {
    const keys = Array.from({ length: 500 }, makeApiKey);
    expect(keys.every((key) => /^iw_[0-9A-Za-z]{36}$/.test(key) && hasKeyForm(key))).toBe(true);
    expect(new Set(keys).size).toBe(500);
  });

  test('every digit occurs about equally often', () => {
    const counts = new Map<string, number>();
    const digits = Array.from({ length: 2000 }, () => makeApiKey().slice(3, 33)).join('');
    for (const digit of digits) counts.set(digit, (counts.get(digit) ?? 0) + 1);
    expect(counts.size).toBe(62);
    // 968 expected, standard deviation 31.
    for (const count of counts.values()) expect(Math.abs(count - 968)).toBeLessThan(220);
  });

  test('a single changed character fails the check', () => {
    const key = GOLDEN[1] as string;
    for (let index = 0; index < key.length; index += 1) {
      const changed = key.slice(0, index) + (key[index] === 'x' ? 'y' : 'x') + key.slice(index + 1);
      expect(hasKeyForm(changed), changed).toBe(false);
    }
  });

  test.each([
    ['empty', ''],
    ['another prefix', 'sk_0000000000000000000000000000003PZPfk'],
    ['too short', 'iw_000000000000000000000000000003PZPfk'],
    ['too long', 'iw_00000000000000000000000000000003PZPfk'],
    ['a line break behind', `${GOLDEN[0]}\n`],
    ['two keys', `${GOLDEN[0]}, ${GOLDEN[1]}`],
    ['a query operator', '{"$gt":""}'],
  ])('%s is no key', (_, text) => {
    expect(hasKeyForm(text)).toBe(false);
  });

  test('the hash is HMAC-SHA-256 under the pepper', () => {
    const key = GOLDEN[0] as string;
    expect(hashSecret(key, Buffer.from('pepper'))).toBe(
      '256ae49a846630d51c1ed1ce26ef460dfc0d6d4d3f10c97ef6337fc2d456cc90',
    );
    expect(hashSecret(key, Buffer.from('other'))).not.toBe(hashSecret(key, Buffer.from('pepper')));
  });

  test('hashes are compared in full', () => {
    expect(sameHash('00ff', '00ff')).toBe(true);
    expect(sameHash('00ff', '00fe')).toBe(false);
    expect(sameHash('00ff', '00')).toBe(false);
  });
});
