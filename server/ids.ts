import { randomBytes } from 'node:crypto';
import type { IdPrefix } from '#contract';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const LENGTH = 22;
/** Bytes from here on are skipped, since they would favour the first characters of the alphabet. */
const UNBIASED_BELOW = 256 - (256 % ALPHABET.length);

/** Creates an id: the prefix, `_` and 22 evenly distributed base62 characters, that is more than 128 random bits. */
export function newId<Prefix extends IdPrefix>(prefix: Prefix): `${Prefix}_${string}` {
  let random = '';
  while (random.length < LENGTH) {
    for (const byte of randomBytes(LENGTH - random.length)) {
      if (byte < UNBIASED_BELOW) random += ALPHABET[byte % ALPHABET.length];
    }
  }
  return `${prefix}_${random}`;
}
