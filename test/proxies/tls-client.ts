import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:http2';
import { Agent, type RequestOptions, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';

/** Name in the certificate and in the blocks of `docs/proxies.md`. */
export const HOST = 'images.example.com';

/** A self-signed certificate and its key. */
export interface Certificate {
  certificate: string;
  key: string;
  pem: string;
  remove(): Promise<void>;
}

/** Makes a certificate for {@link HOST} that is valid for two days. */
export async function createCertificate(openssl: string): Promise<Certificate> {
  const folder = await mkdtemp(join(tmpdir(), 'imagewright-tls-'));
  const [certificate, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const names = ['-subj', `/CN=${HOST}`, '-addext', `subjectAltName=DNS:${HOST}`];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  await promisify(execFile)(openssl, ['req', '-x509', ...kind, ...names, '-keyout', key, '-out', certificate]);
  const remove = () => rm(folder, { recursive: true });
  return { certificate, key, pem: await readFile(certificate, 'utf8'), remove };
}

/** Makes a `fetch` that reaches {@link HOST} at a port of this machine and sends paths as they are. */
export function createTlsFetch(port: number, { pem }: Certificate): typeof fetch {
  const agent = new Agent({ ca: pem, servername: HOST });
  return async (input, init = {}) => {
    const { pathname, search } = new URL(String(input));
    const encoded = new Request(input as string, init);
    const body = init.body ? Buffer.from(await encoded.arrayBuffer()) : null;
    const headers = { ...Object.fromEntries(encoded.headers), Host: HOST };
    const { method, signal } = encoded;
    const path = pathname + search;
    const options = { agent, host: '127.0.0.1', port, path, method, headers, signal };
    return send(options, body);
  };
}

function send(options: RequestOptions, body: Buffer | null): Promise<Response> {
  return new Promise((resolve, reject) => {
    const length = body ? { 'Content-Length': body.length } : {};
    const outgoing = request({ ...options, headers: { ...options.headers, ...length } }, (answer) => {
      const { statusCode: status = 0, headers } = answer;
      const received = new Headers();
      for (const [name, value] of Object.entries(headers)) received.set(name, String(value));
      const empty = status === 204 || status === 304;
      if (empty) answer.resume();
      resolve(new Response(empty ? null : (Readable.toWeb(answer) as ReadableStream), { status, headers: received }));
    });
    outgoing.on('error', reject);
    outgoing.end(body ?? undefined);
  });
}

/** Makes a `fetch` over HTTP/2, as browsers use it. Each request has a connection of its own. */
export function createHttp2Fetch(port: number, { pem }: Certificate): typeof fetch {
  return async (input, init = {}) => {
    const { pathname, search } = new URL(String(input));
    const encoded = new Request(input as string, init);
    const body = init.body ? Buffer.from(await encoded.arrayBuffer()) : undefined;
    const session = connect(`https://127.0.0.1:${port}`, { ca: pem, servername: HOST });
    const { host: _, connection: __, ...headers } = Object.fromEntries(encoded.headers);
    const pseudo = { ':method': encoded.method, ':path': pathname + search, ':authority': HOST };
    return new Promise((resolve, reject) => {
      session.on('error', reject);
      const stream = session.request({ ...headers, ...pseudo });
      stream.on('error', reject);
      stream.on('close', () => session.close());
      encoded.signal.addEventListener('abort', () => stream.close());
      stream.on('response', ({ ':status': status = 0, ...answered }) => {
        const received = new Headers();
        for (const [name, value] of Object.entries(answered)) received.set(name, String(value));
        resolve(new Response(Readable.toWeb(stream) as ReadableStream, { status, headers: received }));
      });
      stream.end(body);
    });
  };
}
