import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import S3rver from 's3rver';
import { serveLocally } from '../support/serve-locally.ts';
import { openRealStore, realStore } from './real-store.ts';
import { type StoreKey, verifySignature } from './verify-signature.ts';

/** What a key of the server may not do. */
export type Action = 'store' | 'read' | 'list' | 'delete';

/** Names of keys: one that may do everything, and others that lack something. */
export type KeyName = 'whole' | 'noDelete' | 'noList' | 'readOnly' | 'temporary';

/** An S3-compatible server with one bucket: in this process, or the real one that the environment names. */
export interface S3Server {
  /** `http://127.0.0.1:…`. */
  endpoint: string;
  bucket: string;
  region: string;
  /** Settings of a service that keeps its files there, below a prefix. */
  env(prefix?: string, endpoint?: string, key?: KeyName): Record<string, string>;
  close(): Promise<void>;
}

/** Keys of the server in this process. The first is the only one that `s3rver` itself knows. */
const KEYS: Record<KeyName, StoreKey & { id: string; mayNot: Action[] }> = {
  whole: { id: 'S3RVER', secret: 'S3RVER', mayNot: [] },
  noDelete: { id: 'NODELETE', secret: 'no delete', mayNot: ['delete'] },
  noList: { id: 'NOLIST', secret: 'no list', mayNot: ['list'] },
  readOnly: { id: 'READONLY', secret: 'read only', mayNot: ['store', 'delete'] },
  temporary: { id: 'TEMPORARY', secret: 'temporary', token: 'token/of+temporary=keys', mayNot: [] },
};
const BUCKET = 'pictures';
const REGION = 'us-east-1';

/** A server whose keys gain and lose rights while it runs. */
export interface OwnS3Server extends S3Server {
  /** Sets what a key may not do. */
  forbid(key: KeyName, mayNot: Action[]): void;
  /** Methods, paths and queries of all requests so far. */
  seen: { method: string; url: string; key: string; headers: IncomingMessage['headers'] }[];
}

/** Starts the server of the tests, or opens a bucket of the real store that TEST_S3_ENDPOINT names. */
export async function startS3Server(): Promise<S3Server> {
  return realStore() ? openRealStore() : startOwnS3Server();
}

/** Starts an S3-compatible server in this process, which checks each signature. */
export async function startOwnS3Server(): Promise<OwnS3Server> {
  const directory = await mkdtemp(join(tmpdir(), 'imagewright-s3-'));
  const configureBuckets = [{ name: BUCKET, configs: [] }];
  const server = new S3rver({ silent: true, directory, configureBuckets });
  keepFolders(server);
  await server.configureBuckets();
  const answer = (server as unknown as { callback(): (req: IncomingMessage, res: ServerResponse) => void }).callback();
  const rights = new Map(Object.values(KEYS).map(({ id, mayNot }) => [id, mayNot]));
  const secrets = Object.fromEntries(Object.values(KEYS).map(({ id, secret, token }) => [id, { secret, token }]));
  const seen: OwnS3Server['seen'] = [];
  const front = createServer((req, res) => {
    const proof = verifySignature(req, secrets as Record<string, StoreKey>, REGION);
    const { method = '', url = '', headers } = req;
    seen.push({ method, url, headers, key: 'code' in proof ? '' : proof.accessKeyId });
    if ('code' in proof) return refuse(req, res, proof);
    const action = actionOf(req);
    if (rights.get(proof.accessKeyId)?.includes(action)) {
      if (action === 'delete' && method === 'POST') return void refuseEach(req, res);
      return refuse(req, res, { code: 'AccessDenied', status: 403 });
    }
    beFirstKey(req, proof.accessKeyId);
    answer(req, res);
  });
  const { url: own, close } = await serveLocally(front);
  return {
    endpoint: own,
    bucket: BUCKET,
    region: REGION,
    seen,
    forbid: (key, mayNot) => void rights.set(KEYS[key].id, mayNot),
    env(prefix = 'site', endpoint = own, key: KeyName = 'whole') {
      const { id, secret, token } = KEYS[key];
      return {
        AWS_ACCESS_KEY_ID: id,
        AWS_SECRET_ACCESS_KEY: secret,
        ...(token === undefined ? {} : { AWS_SESSION_TOKEN: token }),
        FILES_URL: `s3://${BUCKET}/${prefix}?endpoint=${endpoint}&region=${REGION}`,
      };
    },
    async close() {
      await close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function actionOf({ method, url = '' }: IncomingMessage): Action {
  const { pathname, searchParams } = new URL(url, 'http://host');
  if (method === 'DELETE' || searchParams.has('delete')) return 'delete';
  if (method === 'PUT') return 'store';
  return pathname.split('/').filter(Boolean).length < 2 ? 'list' : 'read';
}

function refuse(req: IncomingMessage, res: ServerResponse, { code, status }: { code: string; status: number }): void {
  req.resume().on('end', () => {
    res.writeHead(status, { 'Content-Type': 'application/xml' });
    res.end(
      req.method === 'HEAD'
        ? undefined
        : `<?xml version="1.0"?><Error><Code>${code}</Code><Message>no</Message></Error>`,
    );
  });
}

/** Answers a list of files to delete as Amazon does: with success, and an error for each. */
async function refuseEach(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const keys = [...(await text(req)).matchAll(/<Key>(.*?)<\/Key>/g)].map(([, key = '']) => key);
  const errors = keys.map((key) => `<Error><Key>${key}</Key><Code>AccessDenied</Code><Message>no</Message></Error>`);
  res.writeHead(200, { 'Content-Type': 'application/xml' });
  res.end(`<?xml version="1.0"?><DeleteResult>${errors.join('')}</DeleteResult>`);
}

/** Makes a verified request one of the only key that `s3rver` knows; it compares no signature itself. */
function beFirstKey(req: IncomingMessage, accessKeyId: string): void {
  req.url = req.url?.replace(`X-Amz-Credential=${accessKeyId}`, `X-Amz-Credential=${KEYS.whole.id}`);
  if (req.headers.authorization)
    req.headers.authorization = req.headers.authorization.replace(`=${accessKeyId}/`, `=${KEYS.whole.id}/`);
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
