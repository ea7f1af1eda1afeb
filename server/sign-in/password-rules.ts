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

/** Rejects a password that is too short, too common or the mail address. @throws AppError weak_password */
export function requireStrongPassword(password: string, email: string): void {
  const fault = faultOf(password, email.toLowerCase());
  if (!fault) return;
  throw new AppError('weak_password', `password: ${fault}`, { details: { errors: { password: [fault] } } });
}

function faultOf(password: string, email: string): string | null {
  const length = [...password].length;
  if (length < PASSWORD_MIN_LENGTH)
    return `expected at least ${PASSWORD_MIN_LENGTH} characters, but received ${length}`;
  if (length > PASSWORD_MAX_LENGTH) return `expected at most ${PASSWORD_MAX_LENGTH} characters, but received ${length}`;
  const plain = password.normalize('NFKC').toLowerCase().trim();
  const [name = ''] = email.split('@');
  const isMail = plain === email || plain === name || (without(plain) !== '' && without(plain) === without(name));
  if (isMail) return 'expected something else than the mail address';
  if (new Set(plain).size < 4) return 'expected more than three different characters';
  if (COMMON.has(plain) || COMMON.has(without(plain)) || ROWS.some((row) => row.includes(plain))) {
    return 'expected a password that is not among the most common ones';
  }
  return null;
}

/** Strips leading and trailing digits and symbols. */
function without(text: string): string {
  return text.replace(/[\d\W_]+$/, '').replace(/^[\d\W_]+/, '');
}
