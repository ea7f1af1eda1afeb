import ipaddr from 'ipaddr.js';
import type { Budget, Limit, Taken } from '../budgets/index.ts';
import { AppError } from '../errors.ts';

/**
 * Kinds of the cookie of a log-in: `secure`; `plain`, by the setting `LOGIN_COOKIE`; `local`, for pages that came over
 * plain HTTP from this machine.
 */
export type CookieKind = 'secure' | 'plain' | 'local';

/** Client of a request. */
export interface Visitor {
  /** Network address, e.g. `192.0.2.7`; some proxies add the port of the client. */
  address: string;
  userAgent: string;
  /** Kind of cookie that a log-in of this client gets. @default secure */
  cookie?: CookieKind;
}

const MAX_LENGTH = 200;
/** An IPv4 address with a port, or an IPv6 address in brackets. */
const WITH_PORT = /^(?:([\d.]+):\d+|\[([^\]]+)\](?::\d+)?)$/;

/** Parses an address, with or without a port; null if it is none. IPv4 addresses that are mapped to IPv6 become IPv4. */
function parseAddress(address: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  const [, ipv4, ipv6] = WITH_PORT.exec(address) ?? [];
  const bare = ipv4 ?? ipv6 ?? address;
  return ipaddr.isValid(bare) ? ipaddr.process(bare) : null;
}

/** Key for counting attempts: the IPv4 address, or the first 64 bits of an IPv6 address, which one client controls. */
export function networkOf(address: string): string {
  const parsed = parseAddress(address);
  if (!parsed) return 'unknown';
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return (parsed as ipaddr.IPv6).parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':');
}

/** Prepares a visitor for storage: shortened, printable ASCII only. */
export function describeVisitor({ address, userAgent }: Visitor): Pick<Visitor, 'address' | 'userAgent'> {
  const clean = (text: string) => text.replace(/[^\x20-\x7e]/g, '').slice(0, MAX_LENGTH);
  return { address: parseAddress(address)?.toString() ?? '', userAgent: clean(userAgent) };
}

const MINUTE_MS = 60_000;

/** Window in which wrong passwords are counted, in milliseconds. */
export const GUESS_WINDOW_MS = 15 * MINUTE_MS;
/** Mails that one network address, or one account, may request per hour. */
const MAILS_PER_HOUR = 10;

/** Counts an attempt before it is made. @throws AppError too_many_attempts */
export async function takeAttempt(budget: Budget, limits: Limit[]): Promise<Taken> {
  const taken = await budget.take(limits);
  if (taken.isTaken) return taken;
  const seconds = Math.max(1, Math.ceil(taken.endsInMs / 1000));
  throw new AppError('too_many_attempts', `Too many attempts; try again in ${seconds} seconds`, {
    headers: { 'Retry-After': String(seconds) },
  });
}

/** Counts a mail that a network address or an account requests. @throws AppError too_many_attempts */
export async function takeMail(requests: Budget, key: string): Promise<void> {
  await takeAttempt(requests, [{ key, limit: MAILS_PER_HOUR, windowMs: 60 * MINUTE_MS }]);
}
