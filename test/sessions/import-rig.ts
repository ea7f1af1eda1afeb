import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import type { AppError } from '../../server/errors.ts';
import type { Resolve } from '../../server/sessions/guarded-request.ts';
import { createUrlImporter } from '../../server/sessions/import-url.ts';

/** Linux answers on all of 127/8: this address plays the public internet, the others are what must not be reached. */
export const OUTSIDE = '127.0.0.2';
export const IMAGE = randomBytes(100_000);
/** The time limit is far off, except where time is what is tested: the machine may be busy. */
export const LIMITS = { maxFileBytes: 1_000_000, timeoutMs: 100_000, maxRedirects: 3 };

/** Response of the outer server. */
export type Handler = (req: IncomingMessage, res: ServerResponse) => void;

async function listen(server: Server, at: number, host: string): Promise<number> {
  server.listen(at, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** A port that is free at one address may be taken at the other, by a test that runs beside this one. */
async function listenOnOnePort(outside: Server, inside: Server): Promise<number> {
  for (;;) {
    const port = await listen(outside, 0, OUTSIDE);
    try {
      return await listen(inside, port, '127.0.0.1');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
      await new Promise((done) => outside.close(done));
    }
  }
}

/** An importer between a server outside, which it may ask, and one inside, which it must not; both fresh for each test. */
export function useImportRig() {
  const rig = {
    directory: '',
    /** Address that is imported. */
    target: '',
    /** Port of both servers. */
    port: 0,
    outside: undefined as unknown as Server,
    inside: undefined as unknown as Server,
    insideConnections: 0,
    /** Requests that the outer server received. */
    requests: [] as IncomingMessage[],
    handle: (() => {}) as Handler,
    /** Answers of the injected resolver by host name. */
    names: {} as Record<string, string[]>,

    fetchToFile(url: string, options: { signal?: AbortSignal; resolve?: Resolve; timeoutMs?: number } = {}) {
      const importer = createUrlImporter({
        limits: { ...LIMITS, timeoutMs: options.timeoutMs ?? LIMITS.timeoutMs },
        allowPrivate: (address) => address === OUTSIDE,
        resolve: options.resolve ?? resolve,
      });
      return importer.fetchToFile({ url, target: rig.target, signal: options.signal });
    },

    /** The error of an import that must fail, leave no file, and reach nothing inside. */
    async refused(url: string, options = {}): Promise<AppError> {
      const error = await rig.fetchToFile(url, options).then(
        () => {
          throw new Error(`${url} was imported`);
        },
        (thrown: AppError) => thrown,
      );
      expect(await readdir(rig.directory)).toEqual([]);
      expect(rig.insideConnections).toBe(0);
      return error;
    },
  };

  const resolve: Resolve = async (name) =>
    (rig.names[name] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

  beforeEach(async () => {
    rig.directory = await mkdtemp(join(tmpdir(), 'imagewright-import-'));
    rig.target = join(rig.directory, 'import.part');
    rig.insideConnections = 0;
    rig.requests = [];
    rig.names = { 'cdn.test': [OUTSIDE] };
    rig.handle = (_, res) => res.setHeader('content-type', 'image/png').end(IMAGE);
    rig.outside = createServer((req, res) => {
      rig.requests.push(req);
      rig.handle(req, res);
    });
    rig.inside = createServer((_, res) => res.setHeader('content-type', 'image/png').end('secret'));
    rig.inside.on('connection', () => rig.insideConnections++);
    rig.port = await listenOnOnePort(rig.outside, rig.inside);
  });
  afterEach(async () => {
    for (const server of [rig.outside, rig.inside]) {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    }
    await rm(rig.directory, { recursive: true });
  });
  return rig;
}
