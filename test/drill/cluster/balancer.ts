import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A proxy that gives one request after the other to the next server, as a load balancer does. */
export interface Balancer {
  url: string;
  close(): Promise<void>;
}

/** Starts a balancer before the servers that `targets` names at the moment. Answers 503 where a server has gone. */
export async function startBalancer(targets: () => string[]): Promise<Balancer> {
  let turn = 0;
  const server = createServer((incoming, outgoing) => {
    const urls = targets();
    turn += 1;
    const url = urls[turn % urls.length];
    if (url === undefined) return refuse(outgoing);
    pass(url, incoming, outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function pass(url: string, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { method, headers } = incoming;
  const onUnreachable = () => (outgoing.headersSent ? outgoing.destroy() : refuse(outgoing));
  const forwarded = request(url + incoming.url, { method, headers, agent: false }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.on('error', onUnreachable).pipe(outgoing);
    answer.on('aborted', onUnreachable);
  });
  forwarded.on('error', onUnreachable);
  incoming.on('error', () => forwarded.destroy()).pipe(forwarded);
  outgoing.on('close', () => forwarded.destroy());
}

function refuse(outgoing: ServerResponse): void {
  outgoing.writeHead(503, { 'Retry-After': '1', 'Content-Type': 'application/json', 'X-From': 'balancer' });
  outgoing.end('{"code":"gone","error":"The server has gone"}');
}
