import { promises as dns, type LookupAddress } from 'node:dns';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
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
 * Sends a GET request that connects to public addresses only; redirects and encodings are left to the caller, who also
 * destroys the response. The check is in the connection's lookup, on the very addresses that are connected to, so that
 * a name which resolves differently the second time (DNS rebinding) gains nothing.
 *
 * Node's own client, not undici 7: there a server that closes while we read slowly ends our process (nodejs/undici
 * issue 5360; the correction is in version 8, which needs Node 22).
 */
export function requestGuarded(
  url: URL,
  { guard, headers, signal }: { guard: Guard; headers: Record<string, string>; signal: AbortSignal },
): Promise<IncomingMessage> {
  const request = url.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    // agent: false gives the request a connection of its own, which ends with it.
    const outgoing = request(url, { agent: false, lookup: guardedLookup(guard), headers, signal });
    outgoing.on('error', reject);
    // An answer that wants another protocol (101) ends in neither 'error' nor 'response'.
    outgoing.on('close', () => reject(new Error('The connection was closed without an answer')));
    outgoing.on('response', (response) => {
      // In the same tick: it may break off before anyone reads it.
      response.on('error', () => {});
      resolve(response);
    });
    outgoing.end();
  });
}

function guardedLookup(guard: Guard): LookupFunction {
  const { resolve = resolveAll } = guard;
  return (hostname, options, callback) => {
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
}

function isAllowed(address: string, { allowPrivate = false }: Guard): boolean {
  if (typeof allowPrivate === 'function' && allowPrivate(address)) return true;
  return allowPrivate === true || isPublicAddress(address);
}
