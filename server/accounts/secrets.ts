import { createHmac } from 'node:crypto';
import { randomBase62 } from './base62.ts';

/** `iws`: cookie of a browser session; `iwl`: one-time link; `iwt`: session token; `iwv`: link to a session. Secret scanners and log masking match the prefix. */
export type SecretPrefix = 'iws' | 'iwl' | 'iwt' | 'iwv';

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
