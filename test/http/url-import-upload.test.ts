import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Koa from 'koa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../server/errors.ts';
import { createErrorHandler } from '../../server/http/app.ts';
import { createOpenRequests } from '../../server/http/client-limits.ts';
import type { Services } from '../../server/http/handlers.ts';
import { createArrivingBytes } from '../../server/http/uploads/arriving-bytes.ts';
import { type IncomingUpload, receiveUpload } from '../../server/http/uploads/receive-upload.ts';
import type { UrlImporter } from '../../server/sessions/index.ts';
import { until } from './upload-server.ts';

const MEGABYTE = 1_000_000;

let directory: string;
let server: Server;
let logged: unknown[];
let free: number;
let fetchToFile: UrlImporter['fetchToFile'];
let received: IncomingUpload['upload'] | undefined;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'imagewright-import-'));
  logged = [];
  free = 1000 * MEGABYTE;
  received = undefined;
  let made = 0;
  const services = {
    config: { JSON_LIMIT_KB: 100, MAX_REQUEST_MB: 5, UPLOADS_PER_ACCOUNT: 10 },
    newTemporaryFile: () => join(directory, `${++made}.part`),
    removeTemporaryFiles: async (files: string[]) => {
      for (const file of files) await rm(file, { force: true });
    },
    freeBytes: async () => free,
    openUploads: createOpenRequests(),
    arrivingBytes: createArrivingBytes(),
    accounts: { limits: { storageOf: async () => null } },
    urlImporter: { fetchToFile: (job) => fetchToFile(job) },
  } as Partial<Record<keyof Services, unknown>> & { urlImporter: UrlImporter } as unknown as Services;
  const app = new Koa();
  app.silent = true;
  const logger = { error: (...line: unknown[]) => logged.push(line) } as unknown as Services['logger'];
  app.use(createErrorHandler({ logger, metrics: { unexpectedError() {} }, writeProbe: { suspect() {} } }));
  app.use(async (ctx) => {
    ctx.state.account = { id: 'acct_1' };
    ({ upload: received } = await receiveUpload(ctx, services));
    ctx.body = { done: true };
  });
  server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(directory, { recursive: true });
});

/** Creates an importer that writes files of `size` bytes and then calls `next`. */
const importer = (size: number, next: (count: number, signal?: AbortSignal) => Promise<void> = async () => {}) => {
  let count = 0;
  fetchToFile = async ({ target, signal }) => {
    count += 1;
    await next(count, signal);
    await writeFile(target, 'x');
    return { originalFilename: 'from-url.jpg', size, sha256: 'ab' };
  };
};

async function send(images: { url: string; filename?: string }[]) {
  const { port } = server.address() as AddressInfo;
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(`http://127.0.0.1:${port}/`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ images }),
  });
  return { status: response.status, body: (await response.json()) as { code?: string } };
}

const three = ['a', 'b', 'c'].map((name) => ({ url: `https://example.com/${name}.jpg` }));

describe('an import by URL', () => {
  it('leaves no temporary file if an import fails on the server', async () => {
    importer(10, async (count) => {
      if (count === 3) throw Object.assign(new Error('disk'), { code: 'ENOSPC' });
    });
    expect(await send(three)).toMatchObject({ status: 507 });
    expect(await readdir(directory)).toEqual([]);
  });

  it('leaves no temporary file and logs no failure if the client disconnects', async () => {
    let waiting = false;
    importer(10, async (count, signal) => {
      if (count < 2) return;
      waiting = true;
      await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    });
    const { port } = server.address() as AddressInfo;
    const req = request({ port, host: '127.0.0.1', method: 'POST', headers: { 'Content-Type': 'application/json' } });
    req.on('error', () => {}).end(JSON.stringify({ images: three }));
    await until(() => waiting);
    expect(await readdir(directory)).toEqual(['1.part']);
    req.destroy();
    await until(async () => (await readdir(directory)).length === 0);
    expect(logged).toEqual([]);
  });

  it('above the size limit of a request is refused', async () => {
    importer(2 * MEGABYTE);
    expect(await send(three)).toMatchObject({ status: 413, body: { code: 'request_too_large', limit: 5_000_000 } });
    expect(await readdir(directory)).toEqual([]);
  });

  it('is refused if the disk has no space for the variants', async () => {
    free = MEGABYTE;
    importer(2 * MEGABYTE);
    expect(await send(three)).toMatchObject({ status: 507, body: { code: 'insufficient_storage' } });
    expect(await readdir(directory)).toEqual([]);
  });

  it('names files, also refused ones, by the cleaned requested name, else by the end of the URL', async () => {
    importer(10, async (count) => {
      if (count % 2 === 0) throw new AppError('url_import_failed', 'no');
    });
    const wish = '../../etc/\u202egpj.exe';
    const urls = ['https://example.com/p/big%20one.png?s=1', 'https://example.com/p/big%20one.png?s=1'];
    await send([...urls.map((url) => ({ url })), ...urls.map((url) => ({ url, filename: wish }))]);
    expect(received?.files.map(({ originalFilename }) => originalFilename)).toEqual([
      'big one.png',
      'big one.png',
      'gpj.exe',
      'gpj.exe',
    ]);
  });
});

describe('an upload of files', () => {
  it.each(['with a length', 'in chunks'])('%s is refused if the disk is nearly full', async (form) => {
    free = MEGABYTE;
    const { port } = server.address() as AddressInfo;
    const headers = { 'Content-Type': 'multipart/form-data; boundary=b' };
    const length = form === 'in chunks' ? {} : { 'Content-Length': MEGABYTE };
    const req = request({ port, host: '127.0.0.1', method: 'POST', headers: { ...headers, ...length } });
    req.on('error', () => {}).write('--b\r\n');
    const [response] = await once(req, 'response');
    req.destroy();
    expect(response.statusCode).toBe(507);
  });
});
