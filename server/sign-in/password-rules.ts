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
