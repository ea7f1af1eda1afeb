import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { HttpConfig } from './config.ts';

/** Most open connections of all clients. */
const MOST_CONNECTIONS = 4096;
/** Time for the rest of a body after its response. */
const LINGER_MS = 2000;
/** Longest time for the rest of a body that arrives fast, so that its sender can read the response. */
const LONGEST_LINGER_MS = 30_000;
/** Rate of a body that arrives fast, in bytes per linger time. */
const FAST_BYTES = 1_000_000;

/**
 * Limits the connections of all clients and, unless proxies stand in front, of each address; more are closed at once. Addresses
 * of one IPv6 /64 count as one.
 */
export function limitConnections(
  server: Server,
  { CONNECTIONS_PER_ADDRESS, TRUST_PROXY }: Pick<HttpConfig, 'CONNECTIONS_PER_ADDRESS' | 'TRUST_PROXY'>,
): void {
  server.maxConnections = MOST_CONNECTIONS;
  // Behind proxies, their connections are those of everybody.
  if (TRUST_PROXY > 0) return;
  const open = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const address = networkOf(socket.remoteAddress ?? '');
    const count = (open.get(address) ?? 0) + 1;
    if (count > CONNECTIONS_PER_ADDRESS) return void socket.destroy();
    open.set(address, count);
    socket.once('close', () => {
      const left = (open.get(address) ?? 1) - 1;
      if (left > 0) open.set(address, left);
      else open.delete(address);
    });
  });
}

/** Returns the address that connections are counted by: an IPv4 address, or the /64 of an IPv6 address. */
function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed.kind() === 'ipv6' ? (parsed as ipaddr.IPv6).parts.slice(0, 4).join(':') : parsed.toString();
}

/**
 * Closes a connection 2 s after a response that did not wait for the request's body, so that a refused client cannot hold it. A
 * body that arrives fast may go on for 30 s.
 */
export function closeRefused(server: Server): void {
  const watch = (req: IncomingMessage, res: ServerResponse) => {
    res.once('finish', () => {
      if (!req.complete) linger(req, 0);
    });
  };
  server.prependListener('request', watch);
  server.prependListener('checkExpectation', watch);
}

function linger(req: IncomingMessage, lingeredMs: number): void {
  const { socket } = req;
  const { bytesRead } = socket;
  const look = () => {
    if (req.complete || socket.destroyed) return;
    const isFast = socket.bytesRead - bytesRead >= FAST_BYTES && lingeredMs + LINGER_MS < LONGEST_LINGER_MS;
    if (isFast) linger(req, lingeredMs + LINGER_MS);
    else socket.destroy();
  };
  setTimeout(look, LINGER_MS).unref();
}
