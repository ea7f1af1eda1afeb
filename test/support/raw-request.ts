import { Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';
import type { Socket } from 'node:net';

/** An answer as it came over the wire. */
export interface RawAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  text: string;
}

/** Sent bytes; nothing is added, checked or encoded. */
export interface RawRequest {
  method?: string;
  headers?: OutgoingHttpHeaders;
  body?: string | Uint8Array;
}

/** Makes a plain requester that keeps connections alive and, unlike fetch, sends any method, path and header. */
export function createRawClient(url: string, { sockets = 16 } = {}) {
  const { hostname, port } = new URL(url);
  const agent = new Agent({ keepAlive: true, maxSockets: sockets });

  function send(path: string, { method = 'GET', headers = {}, body }: RawRequest = {}): Promise<RawAnswer> {
    return new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) };
      const outgoing = request(
        { hostname, port, agent, path, method, headers: { ...length, ...headers } },
        (answer) => {
          const chunks: Buffer[] = [];
          answer.on('error', reject);
          answer.on('data', (chunk: Buffer) => chunks.push(chunk));
          answer.on('end', () => {
            const bytes = Buffer.concat(chunks);
            resolve({
              status: answer.statusCode ?? 0,
              headers: answer.headers,
              body: bytes,
              // Decoded when it is asked for: an image is no text.
              get text() {
                return bytes.toString();
              },
            });
          });
        },
      );
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }

  return { send, close: () => agent.destroy() };
}

/** Waits until a connection is closed, also by a reset, which `once` of events would reject. */
export async function closed(socket: Socket): Promise<void> {
  if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve));
}

/** Runs `work` on each item, `width` at a time. */
export async function inParallel<T>(items: T[], width: number, work: (item: T, index: number) => Promise<void>) {
  let next = 0;
  const lane = async () => {
    while (next < items.length) {
      const index = next;
      next += 1;
      await work(items[index] as T, index);
    }
  };
  await Promise.all(Array.from({ length: width }, lane));
}
