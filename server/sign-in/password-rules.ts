import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import pLimit from 'p-limit';
import { PASSWORD_MAX_LENGTH, PASSWORD_MIN_LENGTH } from '#contract';
import { AppError } from '../errors.ts';

/** Common passwords, compared without leading and trailing digits and symbols. */
const COMMON = new Set([
  'password',
  'passwort',
  'passphrase',
  'mypassword',
  'changeme',
  'changemenow',
  'letmein',
  'letmeinnow',
  'welcome',
  'iloveyou',
  'administrator',
  'admin',
  'imagewright',
  'qwertyuiop',
  'qwerty',
  'qwertz',
  'qwertzuiop',
  'asdfghjkl',
  'azertyuiop',
  'q1w2e3r4t5y6',
  '1q2w3e4r5t6y',
  '1qaz2wsx3edc',
  'abcdefghij',
  'superman',
  'sunshine',
  'princess',
  'football',
  'baseball',
  'starwars',
  'trustno1',
  'hello',
  'helloworld',
  'master',
  'secret',
  'supersecret',
  'correcthorsebatterystaple',
]);

/** Sequences of digits and letters in both directions; no part of one is a valid password. */
const ROWS = ['01234567890123456789', 'abcdefghijklmnopqrstuvwxyz'].flatMap((row) => [
  row,
  [...row].reverse().join(''),
]);

/** Rejects a password that is too short, too common or the email address. @throws AppError weak_password */
export function requireStrongPassword(password: string, email: string): void {
  const fault = faultOf(password, email.toLowerCase());
  if (!fault) return;
  const { text, ...rule } = fault;
  throw new AppError('weak_password', text, { details: { errors: { password: [text] }, ...rule } });
}

/** The broken rule, for programs that have words of their own, and what is said of it. */
interface Fault {
  reason: 'short' | 'long' | 'email' | 'simple' | 'common';
  /** Characters that are needed or allowed. */
  limit?: number;
  text: string;
}

function faultOf(password: string, email: string): Fault | null {
  const length = [...password].length;
  const [least, most] = [PASSWORD_MIN_LENGTH, PASSWORD_MAX_LENGTH];
  if (length < least) {
    const text = `This password has ${length} characters. It needs at least ${least}.`;
    return { reason: 'short', limit: least, text };
  }
  if (length > most) {
    return { reason: 'long', limit: most, text: `This password has ${length} characters. It may have ${most}.` };
  }
  const plain = password.normalize('NFKC').toLowerCase().trim();
  const [name = ''] = email.split('@');
  const isMail = plain === email || plain === name || (without(plain) !== '' && without(plain) === without(name));
  if (isMail) return { reason: 'email', text: 'This password is the email address. Please choose another.' };
  if (new Set(plain).size < 4)
    return { reason: 'simple', text: 'This password has too few different characters. Please choose another.' };
  if (COMMON.has(plain) || COMMON.has(without(plain)) || ROWS.some((row) => row.includes(plain))) {
    return { reason: 'common', text: 'This password is too common. Please choose another.' };
  }
  return null;
}

/** Strips leading and trailing digits and symbols. */
function without(text: string): string {
  return text.replace(/[\d\W_]+$/, '').replace(/^[\d\W_]+/, '');
}

/** scrypt cost. OWASP rates N = 2^15, p = 3 as strong as N = 2^17, p = 1, with a quarter of the memory (32 MB). */
const COST = { ln: 15, r: 8, p: 3 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** Concurrent hashes. Each occupies a thread of libuv's pool, which file access shares. */
const CONCURRENCY = 2;
/** Most queued hashes: about 8 seconds of work. */
const MAX_QUEUED = 50;

const FORM = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/;

interface Cost {
  ln: number;
  r: number;
  p: number;
}

/**
 * Creates the scrypt password hasher. Each hash contains its cost, so the cost can be raised later.
 * @throws AppError overloaded from `hash` and `verify` if too many are queued
 */
export function createPasswordHash({ cost = COST }: { cost?: Cost } = {}) {
  const limit = pLimit(CONCURRENCY);

  async function derive(password: string, salt: Buffer, spent: Cost): Promise<Buffer> {
    if (limit.activeCount >= CONCURRENCY && limit.pendingCount >= MAX_QUEUED) {
      throw new AppError('overloaded', 'Too many sign-ins at this moment', { headers: { 'Retry-After': '5' } });
    }
    return limit(() => runScrypt(password, salt, spent));
  }

  return {
    /** Hashes a password for storage. */
    async hash(password: string): Promise<string> {
      const salt = randomBytes(SALT_BYTES);
      const hash = await derive(password, salt, cost);
      return `$scrypt$ln=${cost.ln},r=${cost.r},p=${cost.p}$${base64(salt)}$${base64(hash)}`;
    },

    /** Tests a password against a hash. Without a hash it returns false after the same work. */
    async verify(password: string, stored: string | null): Promise<boolean> {
      const parsed = parse(stored);
      const { salt, expected, cost: spent } = parsed ?? randomHash(cost);
      const same = timingSafeEqual(await derive(password, salt, spent), expected);
      return parsed !== null && same;
    },

    /** Tests if a hash has a cost other than the current one. */
    isOutdated(stored: string | null): boolean {
      const parsed = parse(stored);
      return parsed === null || parsed.cost.ln !== cost.ln || parsed.cost.r !== cost.r || parsed.cost.p !== cost.p;
    },
  };
}

/** Password hasher. */
export type PasswordHash = ReturnType<typeof createPasswordHash>;

function runScrypt(password: string, salt: Buffer, { ln, r, p }: Cost): Promise<Buffer> {
  const options = { N: 2 ** ln, r, p, maxmem: 256 * 2 ** ln * r };
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, HASH_BYTES, options, (error, hash) =>
      error ? reject(error) : resolve(hash),
    );
  });
}

/** Generates a hash that no password matches, for the same work as with a stored one. */
function randomHash(cost: Cost) {
  return { cost, salt: randomBytes(SALT_BYTES), expected: randomBytes(HASH_BYTES) };
}

function parse(stored: string | null) {
  const [, ln, r, p, salt, hash] = FORM.exec(stored ?? '') ?? [];
  if (!salt || !hash) return null;
  const expected = Buffer.from(hash, 'base64');
  if (expected.length !== HASH_BYTES) return null;
  return { cost: { ln: Number(ln), r: Number(r), p: Number(p) }, salt: Buffer.from(salt, 'base64'), expected };
}

const base64 = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');
