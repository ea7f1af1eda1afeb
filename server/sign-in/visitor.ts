import ipaddr from 'ipaddr.js';

/** Who is at the other end of a request. */
export interface Visitor {
  /** Network address, e.g. `192.0.2.7`. */
  address: string;
  userAgent: string;
}

const MOST_SHOWN = 200;

/** What attempts are counted by: the address, of IPv6 the first half, since whoever has one address has all of that. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return (parsed as ipaddr.IPv6).parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':');
}

/** A visitor as it is stored and shown: short, and without characters that do something. */
export function describeVisitor({ address, userAgent }: Visitor): Visitor {
  const clean = (text: string) => text.replace(/[^\x20-\x7e]/g, '').slice(0, MOST_SHOWN);
  return { address: ipaddr.isValid(address) ? ipaddr.process(address).toString() : '', userAgent: clean(userAgent) };
}
