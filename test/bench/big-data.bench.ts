// A directory of a large service: 200,000 files at a start, 100,000 cached variants trimmed while it
// serves, 300,000 ledger lines audited. `npm run bench:big-data`; a share of that by `IMAGEWRIGHT_BENCH_SHARE` (1).
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import mongoose from 'mongoose';
import { newLineId } from '../../server/accounts/ledger.ts';
import { startEmbedded } from '../../server/db/index.ts';
import { clientOf, createAccountIn, startServiceProcess } from '../crash/service-process.ts';
import { memoryOf } from './support/process-tree.ts';
import { type Figure, printFigures } from './support/table.ts';

const ADMIN = fileURLToPath(new URL('../../dist/server/admin/main.js', import.meta.url));
const SHARE = Number(process.env.IMAGEWRIGHT_BENCH_SHARE ?? 1);
const FILES = Math.round(200_000 * SHARE);
const VARIANTS = Math.round(100_000 * SHARE);
const LINES = Math.round(300_000 * SHARE);
const AT_ONCE = 1000;
/** Half of the variants are too many. */
const VARIANT_BYTES = 20_000;

const hashOf = (index: number) => (index * 2_654_435_761).toString(16).padStart(64, '0').slice(-64);
const keyOf = (index: number) => `variants/${hashOf(index).slice(-2)}/${hashOf(index)}-00.webp`;

const load = loadavg()[0]?.toFixed(1);
const dataDir = await mkdtemp(join(tmpdir(), 'imagewright-bench-'));
const env = {
  DATA_DIR: dataDir,
  LOG_LEVEL: 'info',
  VARIANT_CACHE_MB: String(Math.round((VARIANTS * VARIANT_BYTES) / 2 / 1_000_000)),
  SWEEP_SECONDS: '5',
};
const figures: Figure[] = [];
const add = (what: string, measured: string, target: string, met?: boolean) =>
  figures.push({ what, measured, target, ...(met !== undefined && { met }) });

try {
  const apiKey = await createAccountIn(env, 'bench@example.com', LINES);
  const before = await audit();
  const empty = await startSeconds();
  await fill(dataDir);
  console.log('filled');
  const full = await startSeconds();
  add(`start with ${FILES} files (without any: ${empty.toFixed(1)} s)`, `${full.toFixed(1)} s`, '<= 2 s', full <= 2);
  await trim(apiKey);
  const after = await audit();
  add(`audit of ${LINES} ledger lines`, `${after.seconds.toFixed(1)} s`, '');
  const growth = after.megabytes - before.megabytes;
  add('its memory, above that of an empty ledger', `${growth.toFixed(0)} MB`, '< 64 MB', growth < 64);
  printFigures(`A large directory (load at the start: ${load})`, figures);
} finally {
  await rm(dataDir, { recursive: true, force: true });
}

async function startSeconds(): Promise<number> {
  const startedAt = performance.now();
  const service = await startServiceProcess({ ...env, SWEEP_SECONDS: '600' });
  const seconds = (performance.now() - startedAt) / 1000;
  await service.terminate();
  return seconds;
}

async function fill(directory: string): Promise<void> {
  for (let at = 0; at < FILES; at += AT_ONCE)
    await Promise.all(
      Array.from({ length: Math.min(AT_ONCE, FILES - at) }, (_, index) => writeVariant(directory, at + index)),
    );
  const store = await startEmbedded({ directory: join(directory, 'db') });
  const connection = await mongoose.createConnection(store.uri).asPromise();
  const variants = connection.collection('variants');
  for (let at = 0; at < VARIANTS; at += AT_ONCE) {
    const records = Array.from({ length: Math.min(AT_ONCE, VARIANTS - at) }, (_, index) => variantRecord(at + index));
    await variants.insertMany(records as never);
  }
  await addLines(connection);
  await connection.close();
  await store.close();
}

/** Adds charges of one credit to the account, as many as it has credits. */
async function addLines(connection: mongoose.Connection): Promise<void> {
  const account = await connection.collection('accounts').findOne({});
  const accountId = String(account?._id);
  for (let from = 0; from < LINES; from += AT_ONCE) {
    const lines = Array.from({ length: Math.min(AT_ONCE, LINES - from) }, (_, index) => ({
      _id: newLineId(from + index + 1, new Date()),
      accountId,
      kind: 'charge',
      ref: `job_${from + index}`,
      delta: -1,
      note: null,
      at: new Date(),
    }));
    await connection.collection('ledger_lines').insertMany(lines as never);
  }
  const spent = { $inc: { balance: -LINES, used: LINES } };
  await connection.collection('accounts').updateOne({ _id: accountId as never }, spent);
}

/** Runs `credits audit` in a process of its own. @returns its time and the most memory that it had for itself */
async function audit(): Promise<{ seconds: number; megabytes: number }> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [ADMIN, 'credits', 'audit'], {
    env: { ...process.env, ...env },
    stdio: 'inherit',
  });
  let megabytes = 0;
  const watching = setInterval(() => {
    megabytes = Math.max(megabytes, ownMegabytes(child.pid ?? 0));
  }, 50);
  const [code] = await once(child, 'exit');
  clearInterval(watching);
  if (code !== 0) throw new Error(`expected a sound ledger, but the audit ended with ${code}`);
  return { seconds: (performance.now() - startedAt) / 1000, megabytes };
}

/** Memory of a process without mapped files, since the embedded database is one. */
function ownMegabytes(pid: number): number {
  try {
    return Number(/^RssAnon:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

async function writeVariant(directory: string, index: number): Promise<void> {
  const file = join(directory, 'files', keyOf(index));
  await mkdir(join(file, '..'), { recursive: true });
  await writeFile(file, 'x');
}

function variantRecord(index: number) {
  return {
    _id: hashOf(index),
    accountId: `acct_${index % 50}`,
    sourceSha256: hashOf(index),
    path: keyOf(index),
    size: VARIANT_BYTES,
    sha256: hashOf(index),
    width: 1,
    height: 1,
    mimeType: 'image/webp',
    quality: 80,
    warnings: [],
    usedAt: new Date(Date.now() - 60_000 + (index % 50_000)),
  };
}

/** Starts the service, whose cache is twice too large, and asks for the balance until it is trimmed. */
async function trim(apiKey: string): Promise<void> {
  const service = await startServiceProcess(env);
  const api = clientOf(service, apiKey);
  const startedAt = performance.now();
  const waits: number[] = [];
  let peak = 0;
  try {
    while (!service.log.some(({ msg }) => msg === 'dropped cached variants')) {
      const askedAt = performance.now();
      await api.balance();
      waits.push(performance.now() - askedAt);
      peak = Math.max(peak, memoryOf(service.pid).rootRss);
      await sleep(50);
      if (performance.now() - startedAt > 600_000) throw new Error('expected the cache to be trimmed in 10 minutes');
    }
    const dropped = service.log.find(({ msg }) => msg === 'dropped cached variants')?.dropped;
    const seconds = (performance.now() - startedAt) / 1000;
    waits.sort((one, other) => one - other);
    const [p95 = 0, longest = 0] = [waits[Math.floor(waits.length * 0.95)], waits.at(-1)];
    add(`${VARIANTS} variants, ${dropped} dropped`, `${seconds.toFixed(1)} s`, '');
    add('balance meanwhile, p95', `${p95.toFixed(0)} ms`, '< 100 ms', p95 < 100);
    add('balance meanwhile, longest', `${longest.toFixed(0)} ms`, '< 500 ms', longest < 500);
    add("memory, peak of the service's own process", `${peak.toFixed(0)} MB`, '');
  } finally {
    await service.kill();
  }
}
