import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toWireError } from '../../server/errors.ts';
import { type MultipartOptions, type ReceivedUpload, receiveMultipart } from '../../server/http/uploads/multipart.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { serveLocally } from '../support/serve-locally.ts';

export const MB = 1024 * 1024;

export const LIMITS = {
  maxFileBytes: 50 * MB,
  maxFiles: 100,
  maxRequestBytes: 500 * MB,
  maxFields: 20,
  maxFieldBytes: 100_000,
};

/** A real HTTP server that receives every request as an upload and responds with the received parts. */
export interface UploadServer {
  port: number;
  server: Server;
  directory: string;
  /** Requests whose handler has not settled. */
  running(): number;
  filesLeft(): Promise<string[]>;
  close(): Promise<void>;
}

export async function startUploadServer(
  options: Partial<MultipartOptions> & { onUpload?: (upload: ReceivedUpload) => Promise<void> } = {},
): Promise<UploadServer> {
  const directory = await mkdtemp(join(tmpdir(), 'imagewright-upload-'));
  let running = 0;
  let made = 0;
  const server = createServer(async (req, res) => {
    running++;
    const answer = (status: number, body: unknown) => {
      res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    try {
      const newTemporaryFile = () => join(directory, `${++made}.part`);
      const upload = await receiveMultipart(req, { newTemporaryFile, limits: LIMITS, ...options });
      await options.onUpload?.(upload);
      await upload.discard();
      const files = upload.files.map((file) =>
        'refused' in file ? { ...file, refused: toWireError(file.refused, 'req_1').body } : file,
      );
      answer(201, { ...upload, files });
    } catch (error) {
      const wire = toWireError(error, 'req_1');
      answer(wire.status, wire.body);
    } finally {
      running--;
    }
  });
  const { port, close } = await serveLocally(server);
  return {
    port,
    server,
    directory,
    running: () => running,
    filesLeft: () => readdir(directory),
    async close() {
      await close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** One part of a multipart body, as bytes. */
export function part(disposition: string, content: Buffer | string, type?: string): Buffer {
  const head = `Content-Disposition: form-data; ${disposition}\r\n${type ? `Content-Type: ${type}\r\n` : ''}\r\n`;
  return Buffer.concat([Buffer.from(head), Buffer.from(content), Buffer.from('\r\n')]);
}

/** A whole multipart body. */
export function multipartBody(boundary: string, parts: Buffer[]): Buffer {
  const delimiter = Buffer.from(`--${boundary}\r\n`);
  return Buffer.concat([...parts.flatMap((each) => [delimiter, each]), Buffer.from(`--${boundary}--\r\n`)]);
}

/** Waits until `condition` holds; fails after `timeoutMs`. */
export async function until(condition: () => boolean | Promise<boolean>, timeoutMs = PATIENCE_MS): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error('The condition did not come true in time');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
