import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';

// IANA has given out nothing else; outside it lie e.g. the IPv4-compatible addresses (::7f00:1).
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');

/**
 * True for an address on the public internet that is not this machine's own. Everything that embeds an IPv4 address
 * (mapped, NAT64, 6to4, Teredo) counts as not public: what it leads to depends on the network.
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
