import { randomBytes } from 'node:crypto';
import type { IdPrefix } from '#contract';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const LENGTH = 22;
/** Bytes from here on would make the first letters of the alphabet likelier than the last. */
const UNBIASED_BELOW = 256 - (256 % ALPHABET.length);

/** Makes an id: the prefix, `_` and 22 evenly distributed base62 characters, that is more than 128 random bits. */
export function newId<Prefix extends IdPrefix>(prefix: Prefix): `${Prefix}_${string}` {
  let random = '';
  while (random.length < LENGTH) {
    for (const byte of randomBytes(LENGTH - random.length)) {
      if (byte < UNBIASED_BELOW) random += ALPHABET[byte % ALPHABET.length];
    }
  }
  return `${prefix}_${random}`;
}
