import { createHmac, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { encodeBase62, randomBase62 } from './base62.ts';

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

/** Hashes a key for storage: HMAC-SHA-256 with the pepper, in hex. */
export function hashApiKey(key: string, pepper: Buffer): string {
  return createHmac('sha256', pepper).update(key).digest('hex');
}

/** Compares two hashes in constant time. */
export function sameHash(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a, 'hex'), Buffer.from(b, 'hex')];
  return left.length === right.length && timingSafeEqual(left, right);
}

function checksum(text: string): string {
  return encodeBase62(crc32(text), 6);
}
