import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { IdPrefix } from '#contract';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Bytes from here on are skipped, since they would favour the first digits. */
const UNBIASED_BELOW = 256 - (256 % DIGITS.length);
const ID_LENGTH = 22;

/** Creates an id: the prefix, `_` and 22 evenly distributed base62 characters, that is more than 128 random bits. */
export function newId<Prefix extends IdPrefix>(prefix: Prefix): `${Prefix}_${string}` {
  return `${prefix}_${randomBase62(ID_LENGTH)}`;
}

/** Derives an id from a secret text; equal texts give equal ids. */
export function derivedId<Prefix extends IdPrefix>(prefix: Prefix, from: string): `${Prefix}_${string}` {
  return `${prefix}_${derivedBase62(`${prefix} ${from}`, ID_LENGTH)}`;
}

/** Derives base62 text from another text; equal texts give equal ones. @param length at most 42 */
export function derivedBase62(from: string, length: number): string {
  let rest = BigInt(`0x${createHash('sha256').update(from).digest('hex')}`);
  let text = '';
  for (; text.length < length; rest /= 62n) text += DIGITS[Number(rest % 62n)];
  return text;
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

const FORM = /^(iw_[0-9A-Za-z]{30})([0-9A-Za-z]{6})$/;

/** Generates an API key: `iw_`, 30 random base62 characters (178 bits) and 6 of their CRC-32. */
export function makeApiKey(): string {
  const random = `iw_${randomBase62(30)}`;
  return random + checksum(random);
}

/** Tests the form and checksum of an API key, without the database. */
export function hasKeyForm(text: string): boolean {
  const [, random, sum] = FORM.exec(text) ?? [];
  return random !== undefined && sum === checksum(random);
}

/** Compares two hashes in constant time. */
export function sameHash(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a, 'hex'), Buffer.from(b, 'hex')];
  return left.length === right.length && timingSafeEqual(left, right);
}

function checksum(text: string): string {
  return encodeBase62(crc32(text), 6);
}

/** `iws`: cookie of a browser session; `iwl`: one-time link; `iwt`: session token; `iwv`: link to a session. Secret scanners and log masking match the prefix. */
type SecretPrefix = 'iws' | 'iwl' | 'iwt' | 'iwv';

/** 43 base62 characters hold 256 bits. */
const LENGTH = 43;

/** Generates a secret: the prefix, `_` and 256 random bits. */
export function makeSecret(prefix: SecretPrefix): string {
  return `${prefix}_${randomBase62(LENGTH)}`;
}

/** Tests the form of a secret, without the database. */
export function secretHasForm(prefix: SecretPrefix, text: string): boolean {
  return text.length === prefix.length + 1 + LENGTH && text.startsWith(`${prefix}_`) && /^\w+$/.test(text);
}

/** Hashes a secret for storage: HMAC-SHA-256 with the pepper, in hex. */
export function hashSecret(secret: string, pepper: Buffer): string {
  return createHmac('sha256', pepper).update(secret).digest('hex');
}
