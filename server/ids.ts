import { randomBytes } from 'node:crypto';
import type { IdPrefix } from '#contract';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Bytes from here on are skipped, since they would favour the first digits. */
const UNBIASED_BELOW = 256 - (256 % DIGITS.length);
const ID_LENGTH = 22;

/** Creates an id: the prefix, `_` and 22 evenly distributed base62 characters, that is more than 128 random bits. */
export function newId<Prefix extends IdPrefix>(prefix: Prefix): `${Prefix}_${string}` {
  return `${prefix}_${randomBase62(ID_LENGTH)}`;
}

/** Generates random base62 text of `length` characters (5.95 bits each). */
export function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length - text.length)) {
      if (byte < UNBIASED_BELOW) text += DIGITS[byte % DIGITS.length];
    }
  }
  return text;
}

/** Encodes a whole number >= 0 as base62, padded with 0 to `length` characters; sorts like the number. */
export function encodeBase62(value: number, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest = Math.floor(rest / 62)) text = DIGITS[rest % 62] + text;
  return text;
}
