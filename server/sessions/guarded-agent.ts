import { promises as dns, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Agent } from 'undici';
import { isPublicAddress } from './public-address.ts';

/** Resolves a host name to all its addresses. */
export type Resolve = (hostname: string) => Promise<LookupAddress[]>;

/** What a guarded request may reach. */
export interface Guard {
  /** Tests only: addresses to be treated as public; lifts the rule about ports too. */
  allowPrivate?: boolean | ((address: string) => boolean);
  /** @default the system's resolver */
  resolve?: Resolve;
}

const PORTS = new Set(['', '80', '443']);
const resolveAll: Resolve = (hostname) => dns.lookup(hostname, { all: true });

/** Says why a URL must not be requested, or undefined. Host names are judged later, by the addresses they resolve to. */
export function refusalOfUrl(url: URL, guard: Guard): 'scheme' | 'userinfo' | 'port' | 'address' | undefined {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'scheme';
  if (url.username !== '' || url.password !== '') return 'userinfo';
  if (!guard.allowPrivate && !PORTS.has(url.port)) return 'port';
  // A literal never reaches the lookup. The URL parser has already turned 0x7f000001, 127.1 and ①②⑦.0.0.1 into one.
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return isIP(host) !== 0 && !isAllowed(host, guard) ? 'address' : undefined;
}

/**
 * Makes an agent that connects to public addresses only. The check is in its lookup, on the very addresses that are
 * connected to, so that a name which resolves differently the second time (DNS rebinding) gains nothing.
 */
export function createGuardedAgent(guard: Guard, timeoutMs: number): Agent {
  const { resolve = resolveAll } = guard;
  const lookup: LookupFunction = (hostname, options, callback) => {
    resolve(hostname)
      .then((addresses) => {
        const [first] = addresses;
        // One bad address refuses them all: a public name has no private ones.
        if (!first || !addresses.every(({ address }) => isAllowed(address, guard))) {
          throw new Error(`${hostname} resolves to addresses that are not allowed`);
        }
        if (options.all) callback(null, addresses);
        else callback(null, first.address, first.family);
      })
      .catch((error: NodeJS.ErrnoException) => callback(error, ''));
  };
  return new Agent({
    connect: { lookup, timeout: timeoutMs },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    connections: 1,
    pipelining: 0,
  });
}

function isAllowed(address: string, { allowPrivate = false }: Guard): boolean {
  if (typeof allowPrivate === 'function' && allowPrivate(address)) return true;
  return allowPrivate === true || isPublicAddress(address);
}
