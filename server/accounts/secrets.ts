import { createHmac } from 'node:crypto';
import { randomBase62 } from './base62.ts';

/** `iws`: the cookie of a log-in; `iwl`: a one-time link. Scanners and the log's mask know them by it. */
export type SecretPrefix = 'iws' | 'iwl';

/** 43 base62 characters hold 256 bits. */
const LENGTH = 43;

/** A new secret: the prefix, `_` and 256 random bits. */
export function makeSecret(prefix: SecretPrefix): string {
  return `${prefix}_${randomBase62(LENGTH)}`;
}

/** Whether text has the form of a secret; asks no database. */
export function secretHasForm(prefix: SecretPrefix, text: string): boolean {
  return text.length === prefix.length + 1 + LENGTH && text.startsWith(`${prefix}_`) && /^\w+$/.test(text);
}

/** What is stored of a secret: HMAC-SHA-256 under the pepper, in hex. */
export function hashSecret(secret: string, pepper: Buffer): string {
  return createHmac('sha256', pepper).update(secret).digest('hex');
}
