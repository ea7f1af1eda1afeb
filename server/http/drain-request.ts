import type { IncomingMessage } from 'node:http';

const LONGEST_DRAIN_MS = 30_000;

/**
 * Reads and discards the rest of a request body, so that a client that is still sending can read the response. Closes the
 * connection after `maxBytes` more bytes or 30 s.
 */
export function drainRequest(req: IncomingMessage, maxBytes: number): void {
  if (req.readableEnded || req.destroyed) return;
  let left = maxBytes;
  const cut = () => req.destroy();
  const timer = setTimeout(cut, LONGEST_DRAIN_MS);
  timer.unref();
  req.on('error', () => {});
  req.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) cut();
  });
  req.once('end', () => clearTimeout(timer));
  req.once('close', () => clearTimeout(timer));
  req.resume();
}
