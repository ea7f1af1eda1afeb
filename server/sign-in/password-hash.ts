import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { AppError } from '../errors.ts';

/** Cost of a hash. OWASP counts N = 2^15 with p = 3 as strong as N = 2^17 with p = 1, in a quarter of the memory (32 MB). */
const COST = { ln: 15, r: 8, p: 3 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** Hashes at once. Each takes a thread of the few that files are read with, too. */
const AT_ONCE = 2;
/** Hashes that may wait: about eight seconds' worth. */
const MOST_WAITING = 50;

const FORM = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/;

interface Cost {
  ln: number;
  r: number;
  p: number;
}

/**
 * Makes what hashes passwords with scrypt. The cost stands in each hash, so that it can be raised later.
 * @throws AppError overloaded, from both functions, when too many are waiting
 */
export function createPasswordHash({ cost = COST }: { cost?: Cost } = {}) {
  const waiting: (() => void)[] = [];
  let running = 0;

  async function derive(password: string, salt: Buffer, { ln, r, p }: Cost): Promise<Buffer> {
    await enter();
    try {
      return await new Promise((resolve, reject) => {
        const options = { N: 2 ** ln, r, p, maxmem: 256 * 2 ** ln * r };
        scrypt(password.normalize('NFKC'), salt, HASH_BYTES, options, (error, hash) =>
          error ? reject(error) : resolve(hash),
        );
      });
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  }

  async function enter(): Promise<void> {
    if (running < AT_ONCE) {
      running += 1;
      return;
    }
    if (waiting.length >= MOST_WAITING) {
      throw new AppError('overloaded', 'Too many people log in at this moment', { headers: { 'Retry-After': '5' } });
    }
    await new Promise<void>((resolve) => waiting.push(resolve));
  }

  return {
    /** Hashes a password for keeping. */
    async hash(password: string): Promise<string> {
      const salt = randomBytes(SALT_BYTES);
      const hash = await derive(password, salt, cost);
      return `$scrypt$ln=${cost.ln},r=${cost.r},p=${cost.p}$${base64(salt)}$${base64(hash)}`;
    },

    /** Whether a password is the one that was hashed. Without a hash the answer is no, after the same work. */
    async verify(password: string, stored: string | null): Promise<boolean> {
      const parsed = parse(stored);
      const {
        salt,
        expected,
        cost: spent,
      } = parsed ?? {
        salt: randomBytes(SALT_BYTES),
        expected: randomBytes(HASH_BYTES),
        cost,
      };
      const same = timingSafeEqual(await derive(password, salt, spent), expected);
      return parsed !== null && same;
    },

    /** Whether a hash was made with another cost than new ones are. */
    isOutdated(stored: string | null): boolean {
      const parsed = parse(stored);
      return parsed === null || parsed.cost.ln !== cost.ln || parsed.cost.r !== cost.r || parsed.cost.p !== cost.p;
    },
  };
}

/** What hashes passwords. */
export type PasswordHash = ReturnType<typeof createPasswordHash>;

function parse(stored: string | null) {
  const [, ln, r, p, salt, hash] = FORM.exec(stored ?? '') ?? [];
  if (!salt || !hash) return null;
  const expected = Buffer.from(hash, 'base64');
  if (expected.length !== HASH_BYTES) return null;
  return { cost: { ln: Number(ln), r: Number(r), p: Number(p) }, salt: Buffer.from(salt, 'base64'), expected };
}

const base64 = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');
