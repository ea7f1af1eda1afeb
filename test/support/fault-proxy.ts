import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { serveLocally } from './serve-locally.ts';

/** Time for a page to read events before the connection breaks, in milliseconds. */
const READ_MS = 250;

/** Fault of one request. The service itself does not notice it unless stated. */
export type Fault =
  /** The answer breaks off after so many bytes of its body, or after so many whole events. */
  | { kind: 'cut'; afterBytes?: number; afterEvents?: number }
  /** The answer stops there without an end: the connection stays open and silent. */
  | { kind: 'stall'; afterBytes?: number; afterEvents?: number }
  /** The service does what was asked for, but its answer is lost: not even the head arrives. */
  | { kind: 'lose-answer' }
  /** The connection breaks before the service has heard anything; with `afterBytes`, in the middle of the body. */
  | { kind: 'lose-request'; afterBytes?: number }
  /** The body arrives one byte at a time. */
  | { kind: 'bytewise' }
  /** Head and body arrive together when the answer is whole, as behind a buffering gateway. */
  | { kind: 'buffer' }
  /** The request is neither passed on nor answered. */
  | { kind: 'hang' }
  /** Answered in place of the service: `json` in its form, or a gateway's page. */
  | { kind: 'answer'; status: number; json?: Record<string, unknown>; html?: string; headers?: Record<string, string> };

/** Requests that a fault affects. */
export interface FaultTarget {
  method?: string;
  /** Matched against path and query. */
  path?: RegExp;
  /** Number of affected requests; later ones pass. @default 1 */
  times?: number;
}

/** A request that came by. */
export interface SeenRequest {
  method: string;
  /** Path and query. */
  path: string;
  headers: IncomingMessage['headers'];
  /** Requests that it affected. */
  fault: Fault['kind'] | undefined;
}

/** An HTTP proxy before the service that does on request what networks and gateways do to streams. */
export interface FaultProxy {
  url: string;
  /** All requests so far, in order. */
  seen: SeenRequest[];
  /** Sets up a fault; several wait for their requests in the order in which they were set up. */
  inject(fault: Fault, target?: FaultTarget): void;
  /** Forgets faults and requests. */
  reset(): void;
  close(): Promise<void>;
}

/** Starts a proxy on a free port of this machine. */
export async function startFaultProxy(target: string): Promise<FaultProxy> {
  const seen: SeenRequest[] = [];
  let faults: { fault: Fault; target: FaultTarget; left: number }[] = [];

  function takeFault(method: string, path: string): Fault | undefined {
    const found = faults.find(
      ({ target, left }) => left > 0 && (!target.method || target.method === method) && (target.path ?? /^/).test(path),
    );
    if (found) found.left -= 1;
    return found?.fault;
  }

  const server = createServer((req, res) => {
    const { method = '', url: path = '', headers } = req;
    const fault = takeFault(method, path);
    seen.push({ method, path, headers, fault: fault?.kind });
    res.on('error', () => {});
    req.on('error', () => {});
    if (fault?.kind === 'hang') return void req.resume();
    if (fault?.kind === 'answer') return answer(req, res, fault);
    if (fault?.kind === 'lose-request' && fault.afterBytes === undefined) return void req.socket.destroy();
    passOn(req, res, new URL(path, target), fault);
  });
  const { url, close } = await serveLocally(server);
  return {
    url,
    seen,
    inject: (fault, target = {}) => void faults.push({ fault, target, left: target.times ?? 1 }),
    reset() {
      faults = [];
      seen.length = 0;
    },
    close,
  };
}

function answer(req: IncomingMessage, res: ServerResponse, fault: Fault & { kind: 'answer' }): void {
  // A client that still sends would see a broken connection instead of the answer.
  req.resume().on('end', () => {
    const { status, json, html = '<html><body>Sorry</body></html>' } = fault;
    const type = json ? 'application/json' : 'text/html';
    res.writeHead(status, { 'Content-Type': type, ...fault.headers }).end(json ? JSON.stringify(json) : html);
  });
}

function passOn(req: IncomingMessage, res: ServerResponse, url: URL, fault: Fault | undefined): void {
  // With its `Host`, which signatures of S3 cover.
  const onward = request(url, { method: req.method, headers: req.headers });
  const drop = () => req.socket.destroy();
  onward.on('error', drop);
  onward.on('response', (response) => {
    response.on('error', drop);
    if (fault?.kind === 'lose-answer') return void response.resume().on('end', drop);
    sendOn(response, res, fault).catch(drop);
  });
  res.on('close', () => onward.destroy());
  let sent = 0;
  req.on('data', (chunk: Buffer) => {
    sent += chunk.length;
    if (fault?.kind === 'lose-request' && sent > (fault.afterBytes ?? 0)) {
      onward.destroy();
      return drop();
    }
    if (!onward.write(chunk)) {
      req.pause();
      onward.once('drain', () => req.resume());
    }
  });
  req.on('end', () => onward.end());
}

/** Sends the service's answer to the client, with what is to go wrong. @throws Error when it has to break off */
async function sendOn(response: IncomingMessage, res: ServerResponse, fault: Fault | undefined): Promise<void> {
  const writeHead = () => res.writeHead(response.statusCode ?? 502, response.headers).flushHeaders();
  if (fault?.kind === 'buffer') {
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    writeHead();
    res.end(Buffer.concat(chunks));
    return;
  }
  writeHead();
  res.socket?.setNoDelay(true);
  const bounded = fault?.kind === 'cut' || fault?.kind === 'stall' ? fault : undefined;
  const bound = bounded && createBound(bounded);
  const closed = new Promise((resolve) => res.once('close', resolve));
  // Not destroyed when the loop is left: a stall must not become a broken connection.
  for await (const chunk of response.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    if (fault?.kind === 'bytewise') {
      for (const byte of chunk) {
        res.write(Uint8Array.of(byte));
        await nextTurn();
      }
      continue;
    }
    const share = bound ? bound(chunk) : chunk.length;
    if (!res.write(chunk.subarray(0, share)) && !res.destroyed) {
      await Promise.race([closed, new Promise((resolve) => res.once('drain', resolve))]);
    }
    if (share === chunk.length) continue;
    if (fault?.kind === 'stall') return void response.resume();
    // Earlier bytes have to be sent first. A page that has not read an event when the connection breaks never gets it.
    await new Promise((resolve) => res.write('', resolve));
    if (bounded?.kind === 'cut' && bounded.afterEvents) await sleep(READ_MS);
    throw new Error('cut');
  }
  res.end();
}

/** Counts bytes or events; tells how much of a chunk may still pass. */
function createBound({
  afterBytes,
  afterEvents,
}: {
  afterBytes?: number;
  afterEvents?: number;
}): (chunk: Buffer) => number {
  let bytes = afterBytes ?? Number.POSITIVE_INFINITY;
  let events = afterEvents ?? Number.POSITIVE_INFINITY;
  let line = '';
  let inEvent = false;
  return (chunk) => {
    for (const [index, byte] of chunk.entries()) {
      if (bytes <= 0 || events <= 0) return index;
      bytes -= 1;
      if (byte !== 0x0a) {
        if (line.length < 6) line += String.fromCharCode(byte);
        continue;
      }
      // Comments and the retry field end with an empty line too, and are no events.
      if (line === '' && inEvent) events -= 1;
      inEvent = line !== '' && (inEvent || line === 'event:');
      line = '';
    }
    return chunk.length;
  };
}
