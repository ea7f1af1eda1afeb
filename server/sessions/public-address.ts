import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';

// The only range that IANA has allocated; it excludes e.g. IPv4-compatible addresses (::7f00:1).
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');

/**
 * Tests for an address on the public internet that is not this machine's own. Addresses that embed an IPv4 address
 * (mapped, NAT64, 6to4, Teredo) count as not public, since their destination depends on the network.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  if (parsed.kind() === 'ipv6' && !parsed.match(GLOBAL_UNICAST)) return false;
  const text = parsed.toNormalizedString();
  return !ownAddresses().some((own) => own === text);
}

function ownAddresses(): string[] {
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .map(({ address }) => ipaddr.parse(address).toNormalizedString());
}
