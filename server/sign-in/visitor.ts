import ipaddr from 'ipaddr.js';

/** Client of a request. */
export interface Visitor {
  /** Network address, e.g. `192.0.2.7`. */
  address: string;
  userAgent: string;
}

const MAX_LENGTH = 200;

/** Key for counting attempts: the IPv4 address, or the first 64 bits of an IPv6 address, which one client controls. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return (parsed as ipaddr.IPv6).parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':');
}

/** Prepares a visitor for storage: shortened, printable ASCII only. */
export function describeVisitor({ address, userAgent }: Visitor): Visitor {
  const clean = (text: string) => text.replace(/[^\x20-\x7e]/g, '').slice(0, MAX_LENGTH);
  return { address: ipaddr.isValid(address) ? ipaddr.process(address).toString() : '', userAgent: clean(userAgent) };
}
