import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from 's3rver';

/** The only access key of the test server. */
const S3_KEYS = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' };
const BUCKET = 'pictures';

/** An S3-compatible server with one bucket, in this process. */
export interface S3Server {
  /** `http://127.0.0.1:…`. */
  endpoint: string;
  /** Settings of a service that keeps its files there, below a prefix. */
  env(prefix?: string, endpoint?: string): Record<string, string>;
  close(): Promise<void>;
}

/** Starts an S3-compatible server. It does not check signatures of version 4. */
export async function startS3Server(): Promise<S3Server> {
  const directory = await mkdtemp(join(tmpdir(), 'imagewright-s3-'));
  const server = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory,
    configureBuckets: [{ name: BUCKET, configs: [] }],
  });
  keepFolders(server);
  const { port } = (await server.run()) as AddressInfo;
  const own = `http://127.0.0.1:${port}`;
  return {
    endpoint: own,
    env: (prefix = 'site', endpoint = own) => ({
      ...S3_KEYS,
      FILES_URL: `s3://${BUCKET}/${prefix}?endpoint=${endpoint}&region=us-east-1`,
    }),
    async close() {
      await server.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Replaces s3rver's deletion: it also removes empty folders, and the process ends when an upload is about to write into one. */
function keepFolders(server: S3rver): void {
  const { store } = server as unknown as { store: FilesystemStore };
  store.deleteObject = async (bucket, key) => {
    const files = ['object', 'object.md5', 'metadata.json'].map((name) => store.getResourcePath(bucket, key, name));
    await Promise.all(files.map((file) => rm(file, { force: true })));
  };
}

/** Methods of s3rver's store. The types of the package do not have them. */
interface FilesystemStore {
  deleteObject(bucket: string, key: string): Promise<void>;
  getResourcePath(bucket: string, key: string, name: string): string;
}
