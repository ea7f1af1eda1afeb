import { createServer } from 'node:http';
import { onTestFinished } from 'vitest';
import { serveLocally } from '../../support/serve-locally.ts';

/** A store of files on another host: stands for a bucket, or for another site. It answers only with what was sent to it. */
export interface Bucket {
  /** Address without a slash at its end. */
  url: string;
  /** Stored files by path. */
  files: Map<string, Uint8Array>;
  /** Paths that were asked for and are not there. */
  missed: string[];
  close(): Promise<void>;
}

/** Starts a bucket that ends with the test. */
export async function startBucket(): Promise<Bucket> {
  const bucket = await serveBucket();
  onTestFinished(() => bucket.close());
  return bucket;
}

/** Starts a bucket. `PUT` stores a file, as in S3 with the bucket in the path. */
export async function serveBucket(): Promise<Bucket> {
  const files = new Map<string, Uint8Array>();
  const missed: string[] = [];
  const server = createServer(async (request, response) => {
    const { pathname, search } = new URL(request.url ?? '/', 'http://bucket');
    if (request.method === 'PUT') {
      const pieces: Uint8Array[] = [];
      for await (const piece of request) pieces.push(piece);
      // Others set permissions.
      if (!/[?&](acl|policy|tagging)/.test(search)) files.set(pathname, Buffer.concat(pieces));
      response.writeHead(200, { ETag: '"1"' }).end();
      return;
    }
    const file = files.get(pathname);
    if (!file) missed.push(pathname);
    response.writeHead(file ? 200 : 404, { 'Content-Type': pathname.endsWith('.webp') ? 'image/webp' : 'image/jpeg' });
    response.end(request.method === 'HEAD' ? undefined : file);
  });
  const { url, close } = await serveLocally(server);
  return {
    url,
    files,
    missed,
    close,
  };
}
