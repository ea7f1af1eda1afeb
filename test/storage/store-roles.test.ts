import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { storageConfig } from '../../server/storage/config.ts';
import { openFiles, type StoreReport, tryStore } from '../../server/storage/index.ts';
import { serveLocally } from '../support/serve-locally.ts';
import { type OwnS3Server, startOwnS3Server } from './s3-server.ts';

/** What the client's own parts read of the environment. */
const READ = [
  'AWS_CONFIG_FILE',
  'AWS_SHARED_CREDENTIALS_FILE',
  'AWS_ENDPOINT_URL_STS',
  'AWS_EC2_METADATA_SERVICE_ENDPOINT',
] as const;

let s3: OwnS3Server;
let directory: string;
const before = Object.fromEntries(READ.map((name) => [name, process.env[name]]));

beforeAll(async () => {
  s3 = await startOwnS3Server();
});
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'imagewright-roles-'));
  // No test may find the keys of whoever runs it.
  for (const name of ['AWS_CONFIG_FILE', 'AWS_SHARED_CREDENTIALS_FILE']) process.env[name] = '/dev/null';
});
afterEach(async () => {
  for (const [name, value] of Object.entries(before))
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  await rm(directory, { recursive: true });
});
afterAll(() => s3.close());

/** Settings without keys. */
function withoutKeys(more: Record<string, string>) {
  const { FILES_URL } = s3.env();
  return storageConfig.parse({ DATA_DIR: directory, FILES_URL, ...more });
}

const keysFor = (ms: number) => ({
  AccessKeyId: 'TEMPORARY',
  SecretAccessKey: 'temporary',
  Token: 'token/of+temporary=keys',
  Expiration: new Date(Date.now() + ms).toISOString(),
});

async function serve(answer: (req: IncomingMessage, res: ServerResponse) => void): Promise<string> {
  const { url, close } = await serveLocally(createServer(answer));
  onTestFinished(close);
  return url;
}

const isWell = ({ trials }: StoreReport) => trials.every(({ code }) => code === 'ok');

it('the role of a container gives keys, with its token, and new ones when they end', async () => {
  const asked: (string | undefined)[] = [];
  const url = await serve((req, res) => {
    asked.push(req.headers.authorization);
    // Keys that end within five minutes are asked for again.
    res.end(JSON.stringify(keysFor(asked.length === 1 ? 1000 : 3_600_000)));
  });
  const role = { AWS_CONTAINER_CREDENTIALS_FULL_URI: `${url}/role`, AWS_CONTAINER_AUTHORIZATION_TOKEN: 'of the pod' };
  expect(isWell(await tryStore(withoutKeys(role)))).toBe(true);
  expect(asked.length).toBe(2);
  expect(new Set(asked)).toEqual(new Set(['of the pod']));
});

it('the role of a virtual machine gives keys by the second version of its metadata', async () => {
  const paths: string[] = [];
  process.env.AWS_EC2_METADATA_SERVICE_ENDPOINT = await serve((req, res) => {
    paths.push(`${req.method} ${req.url}`);
    if (req.method === 'PUT') return void res.end('token');
    if (req.headers['x-aws-ec2-metadata-token'] !== 'token') return void res.writeHead(401).end();
    res.end(req.url?.endsWith('/pictures') ? JSON.stringify({ Code: 'Success', ...keysFor(3_600_000) }) : 'pictures');
  });
  expect(isWell(await tryStore(withoutKeys({})))).toBe(true);
  expect(paths[0]).toBe('PUT /latest/api/token');
});

it('a web identity gives keys', async () => {
  process.env.AWS_ENDPOINT_URL_STS = await serve((req, res) => {
    req.resume();
    const { AccessKeyId, SecretAccessKey, Token, Expiration } = keysFor(3_600_000);
    const keys = `<AccessKeyId>${AccessKeyId}</AccessKeyId><SecretAccessKey>${SecretAccessKey}</SecretAccessKey><SessionToken>${Token}</SessionToken><Expiration>${Expiration}</Expiration>`;
    res.setHeader('Content-Type', 'text/xml');
    res.end(
      `<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleWithWebIdentityResult><Credentials>${keys}</Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`,
    );
  });
  const file = join(directory, 'token');
  await writeFile(file, 'a token of the cluster');
  const role = { AWS_WEB_IDENTITY_TOKEN_FILE: file, AWS_ROLE_ARN: 'arn:aws:iam::123456789012:role/pictures' };
  expect(isWell(await tryStore(withoutKeys(role)))).toBe(true);
});

it('a profile gives keys, but starts no program', async () => {
  const file = join(directory, 'credentials');
  process.env.AWS_SHARED_CREDENTIALS_FILE = file;
  await writeFile(
    file,
    `[pictures]\naws_access_key_id = S3RVER\naws_secret_access_key = S3RVER\n[program]\ncredential_process = touch ${file}.ran\n`,
  );
  expect(isWell(await tryStore(withoutKeys({ AWS_PROFILE: 'pictures' })))).toBe(true);
  const [trial] = (await tryStore(withoutKeys({ AWS_PROFILE: 'program' }))).trials;
  expect(trial).toMatchObject({
    level: 'fault',
    settings: 'AWS_PROFILE',
    came: expect.stringMatching('credential_process'),
  });
});

it('a role that does not answer is not waited for long', async () => {
  const url = await serve((req) => void req.resume());
  const startedAt = performance.now();
  const [trial] = (await tryStore(withoutKeys({ AWS_CONTAINER_CREDENTIALS_FULL_URI: `${url}/role` }))).trials;
  expect(trial).toMatchObject({ code: 'no_credentials', came: expect.stringMatching('the role of the container') });
  // Two tries of a second and the wait between them, on a machine that is many times slower.
  expect(performance.now() - startedAt).toBeLessThan(30_000);
});

it('addresses have the bucket in path or host, and the path of the endpoint', async () => {
  const addressFor = async (url: string, more = {}) => {
    const keys = { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' };
    const { store } = await openFiles(storageConfig.parse({ DATA_DIR: directory, ...keys, ...more, FILES_URL: url }));
    const told = await store.urlOf('variants/ab/a.webp', { disposition: 'attachment', mimeType: 'image/webp' });
    const { origin, pathname } = new URL(told?.address ?? '');
    return origin + pathname;
  };
  const file = 'site/variants/ab/a.webp';
  expect(await addressFor('s3://pictures/site?region=eu-west-1')).toBe(
    `https://pictures.s3.eu-west-1.amazonaws.com/${file}`,
  );
  expect(await addressFor('s3://pictures/site?addressing=path')).toBe(
    `https://s3.us-east-1.amazonaws.com/pictures/${file}`,
  );
  expect(await addressFor('s3://pictures/site', { AWS_REGION: 'eu-west-1' })).toMatch('s3.eu-west-1.');
  const own = 's3://pictures/site?endpoint=https://store.example.com/s3/';
  expect(await addressFor(own)).toBe(`https://store.example.com/s3/pictures/${file}`);
  expect(await addressFor(`${own}&addressing=virtual`)).toBe(`https://pictures.store.example.com/s3/${file}`);
  const elsewhere = { AWS_ENDPOINT_URL: 'https://all.example.com', AWS_ENDPOINT_URL_S3: 'https://s3.example.com' };
  expect(await addressFor('s3://pictures/site', elsewhere)).toBe(`https://s3.example.com/pictures/${file}`);
});

it('files are stored with the class and the encryption of the settings', async () => {
  const more = { FILES_STORAGE_CLASS: 'STANDARD_IA', FILES_ENCRYPTION: 'aws:kms', FILES_KMS_KEY_ID: 'a-key' };
  await tryStore(storageConfig.parse({ DATA_DIR: directory, ...s3.env(), ...more }));
  expect(s3.seen.findLast(({ method }) => method === 'PUT')?.headers).toMatchObject({
    'x-amz-storage-class': 'STANDARD_IA',
    'x-amz-server-side-encryption': 'aws:kms',
    'x-amz-server-side-encryption-aws-kms-key-id': 'a-key',
  });
  expect(storageConfig.safeParse({ FILES_STORAGE_CLASS: 'GLACIER' }).success).toBe(false);
});
