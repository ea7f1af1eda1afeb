import { promises as dns, type LookupAddress } from 'node:dns';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';

/** Resolves a host name to all its addresses. */
export type Resolve = (hostname: string) => Promise<LookupAddress[]>;

/** Addresses that a guarded request may reach. */
export interface Guard {
  /** Tests only: addresses treated as public; also allows every port. */
  allowPrivate?: boolean | ((address: string) => boolean);
  /** @default the system's resolver */
  resolve?: Resolve;
}

const PORTS = new Set(['', '80', '443']);
const resolveAll: Resolve = (hostname) => dns.lookup(hostname, { all: true });

/** Returns the reason to refuse a URL, or undefined. Host names are checked later, by the addresses they resolve to. */
export function refusalOfUrl(url: URL, guard: Guard): 'scheme' | 'userinfo' | 'port' | 'address' | undefined {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'scheme';
  if (url.username !== '' || url.password !== '') return 'userinfo';
  if (!guard.allowPrivate && !PORTS.has(url.port)) return 'port';
  // Literal addresses never reach the lookup. The URL parser has already normalized 0x7f000001, 127.1 and ①②⑦.0.0.1.
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return isIP(host) !== 0 && !isAllowed(host, guard) ? 'address' : undefined;
}

/**
 * Sends a GET request that connects to public addresses only. The caller handles redirects and encodings and destroys the
 * response. The lookup of the connection checks the addresses that are connected to, which prevents DNS rebinding.
 *
 * Uses Node's own client: undici 7 crashes the process if a server closes during a slow read (nodejs/undici issue 5360,
 * fixed in version 8, which needs Node 22).
 */
export function requestGuarded(
  url: URL,
  { guard, headers, signal }: { guard: Guard; headers: Record<string, string>; signal: AbortSignal },
): Promise<IncomingMessage> {
  const request = url.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    // agent: false: no connection is reused.
    const outgoing = request(url, { agent: false, lookup: guardedLookup(guard), headers, signal });
    outgoing.on('error', reject);
    // A response with status 101 emits neither 'error' nor 'response'.
    outgoing.on('close', () => reject(new Error('The connection was closed without a response')));
    outgoing.on('response', (response) => {
      // In the same tick: the response may break off before it is read.
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
        // One private address refuses the name: public names have none.
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

/** Public addresses behind which each machine of a cloud finds that cloud's own services: Azure's. */
const CLOUD_ADDRESSES = new Set(['168.63.129.16']);
// The only range that IANA has allocated; it excludes e.g. IPv4-compatible addresses (::7f00:1).
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');

/**
 * Tests for an address on the public internet that is not this machine's own. Addresses that embed an IPv4 address
 * (mapped, NAT64, 6to4, Teredo, ISATAP) count as not public, since their destination depends on the network.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  if (parsed.kind() === 'ipv6' && !parsed.match(GLOBAL_UNICAST)) return false;
  const text = parsed.toNormalizedString();
  if (CLOUD_ADDRESSES.has(text) || embedsIpv4(parsed)) return false;
  return !ownAddresses().some((own) => own === text);
}

/** Returns true for an ISATAP address (RFC 5214): its interface identifier is `0000:5efe` or `0200:5efe` and an IPv4 address. */
function embedsIpv4(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.kind() !== 'ipv6') return false;
  const [, , , , high = 0, low] = (address as ipaddr.IPv6).parts;
  return (high & 0xfdff) === 0 && low === 0x5efe;
}

function ownAddresses(): string[] {
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .map(({ address }) => ipaddr.parse(address).toNormalizedString());
}
