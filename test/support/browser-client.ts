import { randomUUID } from 'node:crypto';
import { cheapPasswords } from './cheap-passwords.ts';
import type { TestService } from './service.ts';

/** A password that every rule accepts. */
export const PASSWORD = 'a long enough sentence';

/** Hashing is slow on purpose; once is enough. */
let hashed: Promise<string> | undefined;

const COOKIE = '__Host-imagewright';

/** Response of one call. */
export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  // Bodies of all endpoints come through here.
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it
  body: any;
}

/** Makes a client that behaves as a browser on a page of the service: it keeps the cookie and says where it comes from. */
export function createBrowser(url: string, { headers: always = {} }: { headers?: Record<string, string> } = {}) {
  let cookie: string | undefined;

  async function call(
    method: string,
    path: string,
    json?: unknown,
    extra: Record<string, string> = {},
  ): Promise<Answer> {
    const response = await fetch(url + path, {
      method,
      headers: {
        'Sec-Fetch-Site': 'same-origin',
        ...(cookie ? { Cookie: `${COOKIE}=${cookie}` } : {}),
        ...(json === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...always,
        ...extra,
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, value] = /^__Host-imagewright=([^;]*)/.exec(line) ?? [];
      if (value !== undefined) cookie = value || undefined;
    }
    const text = await response.text();
    const isJson = response.headers.get('Content-Type')?.startsWith('application/json');
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
  }

  return {
    url,
    call,
    get: (path: string, extra?: Record<string, string>) => call('GET', path, undefined, extra),
    post: (path: string, json?: unknown, extra?: Record<string, string>) => call('POST', path, json, extra),
    patch: (path: string, json: unknown) => call('PATCH', path, json),
    delete: (path: string) => call('DELETE', path),
    get cookie() {
      return cookie;
    },
    set cookie(value: string | undefined) {
      cookie = value;
    },
  };
}

/** A browser on a page of the service. */
export type Browser = ReturnType<typeof createBrowser>;

/** A person with an account, logged in. */
export interface Person {
  accountId: string;
  email: string;
  browser: Browser;
}

interface NewPerson {
  plan?: string;
  operator?: boolean;
  /** Log-in that was just confirmed with the password. @default that of operators */
  confirmed?: boolean;
  credits?: number;
}

/** Makes an account with a password and a browser that is logged in as it. */
export async function createPerson(
  { url, service }: Pick<TestService, 'url' | 'service'>,
  { plan = 'free', operator = false, confirmed = operator, credits }: NewPerson = {},
): Promise<Person> {
  const email = `person-${randomUUID()}@example.com`;
  hashed ??= cheapPasswords.hash(PASSWORD);
  const account = await service.accounts.create({ email, plan, passwordHash: await hashed });
  if (operator) await service.accounts.setRole(account.id, 'operator');
  const extra = credits === undefined ? 0 : credits - account.balance;
  if (extra > 0) await service.accounts.ledger.grant({ accountId: account.id, amount: extra });
  const browser = createBrowser(url);
  const visitor = { address: '127.0.0.1', userAgent: 'test' };
  const { loginId, token } = await service.signIn.browserSessions.open(account.id, visitor);
  if (confirmed) await service.signIn.browserSessions.confirm(account.id, loginId);
  browser.cookie = token;
  return { accountId: account.id, email, browser };
}
