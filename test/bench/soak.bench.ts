// 20 clients that never stop: each uploads 10 photographs of up to 12 megapixels, exports them with 3 widths, downloads all
// files and deletes the session, again and again. `npm run bench:soak`, minutes by `IMAGEWRIGHT_BENCH_MINUTES` (10). With
// `IMAGEWRIGHT_BENCH_IMAGES=small` the photographs are 64 pixels wide: many more jobs, for what goes wrong once in thousands.
import { mkdtemp, readdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { STORE_ID_KEY } from '../../server/storage/index.ts';
import { auditOf, clientOf, createAccountIn, startServiceProcess } from '../crash/service-process.ts';
import { storedFiles } from '../support/aftermath.ts';
import { createLeanClient } from './support/lean-client.ts';
import { photographFolder, smallImageFolder } from './support/photographs.ts';
import { memoryOf } from './support/process-tree.ts';
import { median, printFigures } from './support/table.ts';

const CLIENTS = 20;
const PHOTOGRAPHS = 10;
const MINUTES = Number(process.env.IMAGEWRIGHT_BENCH_MINUTES ?? 10);
/** Pools, caches and the heap are as large as they get by then. */
const WARM_UP_SHARE = 1 / 3;
const SMALL = process.env.IMAGEWRIGHT_BENCH_IMAGES === 'small';
const SETTINGS = {
  format: 'webp',
  preset: 'high',
  responsive: true,
  responsiveSizes: (SMALL ? [16, 32, 48] : [480, 1024, 1920]).map((width) => ({ width })),
};

/** Seconds since the start, megabytes of all processes and of the service's own, and its open sockets. */
interface Sample {
  at: number;
  all: number;
  service: number;
  sockets: number;
}

/** Lines of the curve of a run. */
const CURVE_LINES = 10;

const load = loadavg()[0]?.toFixed(1);
const photographs = await largest(await (SMALL ? smallImageFolder() : photographFolder()), PHOTOGRAPHS);
const dataDir = await mkdtemp(join(tmpdir(), 'imagewright-bench-'));
const env = { DATA_DIR: dataDir, LOG_LEVEL: 'info' };
const apiKey = await createAccountIn(env, 'bench@example.com', 1_000_000);
const service = await startServiceProcess(env);
const api = clientOf(service, apiKey);
const tally = { images: 0, waits: 0, errors: [] as string[] };
const balances: number[] = [];
const memory: Sample[] = [];
const startedAt = performance.now();
const seconds = () => (performance.now() - startedAt) / 1000;
const isRunning = () => seconds() < MINUTES * 60;

try {
  await Promise.all([
    ...Array.from({ length: CLIENTS }, (_, index) => beClient(index)),
    askForBalance(),
    watchMemory(),
  ]);
  const { ok, pending } = await auditOf(env);
  const left = (await storedFiles({ dataDir })).filter(
    (file) => !file.startsWith('variants/') && file !== STORE_ID_KEY,
  );
  const settled = memory.filter(({ at }) => at >= MINUTES * 60 * WARM_UP_SHARE);
  const growth = slopePerMinute(settled, 'all');
  const serviceGrowth = slopePerMinute(settled, 'service');
  const p95 = balances.sort((a, b) => a - b)[Math.floor(balances.length * 0.95)] ?? 0;
  const peak = Math.max(...memory.map(({ all }) => all));
  printFigures(
    `${CLIENTS} clients with ${SMALL ? 'small images' : 'photographs'} for ${MINUTES} minutes (load at the start: ${load})`,
    [
      { what: 'images exported, each with 3 widths', measured: String(tally.images), target: '' },
      { what: 'errors', measured: String(tally.errors.length), target: '0', met: tally.errors.length === 0 },
      { what: 'told to come back later (503)', measured: String(tally.waits), target: '' },
      { what: 'balance meanwhile, p50', measured: `${median(balances).toFixed(0)} ms`, target: '' },
      { what: 'balance meanwhile, p95', measured: `${p95.toFixed(0)} ms`, target: '< 100 ms', met: p95 < 100 },
      { what: 'memory, peak (RSS of all processes)', measured: `${peak.toFixed(0)} MB`, target: '' },
      {
        what: 'memory, growth after the first third',
        measured: `${growth.toFixed(2)} MB a minute`,
        target: '< 0.2 MB',
        met: growth < 0.2,
      },
      {
        what: "the same, the service's own process",
        measured: `${serviceGrowth.toFixed(2)} MB a minute`,
        target: '',
      },
      {
        what: 'open sockets of the service, most in the first third / later',
        measured: `${most(memory.filter((one) => !settled.includes(one)))} / ${most(settled)}`,
        target: '',
      },
      {
        what: 'ledger sound, nothing pending',
        measured: String(ok && pending === 0),
        target: 'true',
        met: ok && !pending,
      },
      { what: 'files left of deleted sessions', measured: String(left.length), target: '0', met: left.length === 0 },
    ],
  );
  for (const error of tally.errors.slice(0, 5)) console.log(error);
  for (const file of left.slice(0, 5)) console.log(`left: ${file}`);
  const step = Math.max(1, Math.floor(memory.length / CURVE_LINES));
  for (const { at, all, service: own, sockets } of memory.filter((_, index) => index % step === 0)) {
    console.log(
      `${(at / 60).toFixed(1)} min: ${all.toFixed(0)} MB, the service ${own.toFixed(0)} MB, ${sockets} sockets`,
    );
  }
} finally {
  await service.kill();
  await rm(dataDir, { recursive: true, force: true });
}

async function beClient(index: number): Promise<void> {
  const lean = createLeanClient({ url: service.url, apiKey }, 1);
  for (let round = 0; isRunning(); round += 1) {
    try {
      await runWorkflow(lean, `client-${index}-round-${round}`);
    } catch (error) {
      tally.errors.push(String(error));
    }
  }
  lean.close();
}

async function runWorkflow(lean: ReturnType<typeof createLeanClient>, unique: string): Promise<void> {
  let uploaded: Awaited<ReturnType<typeof lean.create>> | undefined;
  for (const photograph of photographs) {
    // Never the same bytes twice, or the cache of variants would do the work.
    const file = join(dataDir, `${unique}-${basename(photograph)}`);
    await writeFile(file, withComment(await readFile(photograph), unique));
    const answer = await (uploaded ? lean.add(uploaded.sessionId, file) : lean.create(file));
    uploaded = uploaded ? { ...uploaded, images: [...uploaded.images, ...answer.images] } : answer;
    await rm(file);
  }
  if (!uploaded) throw new Error('expected photographs');
  const { results, failed } = await exportAll(uploaded);
  if (failed > 0) throw new Error(`expected all images to be exported, but ${failed} failed`);
  for (const { variants } of results) {
    for (const { url, size } of variants) {
      const { length } = await lean.download(url);
      if (length !== size) throw new Error(`expected ${size} bytes of ${url}, but received ${length}`);
    }
  }
  tally.images += results.length;
  const { status } = await api.request(`/v1/sessions/${uploaded.sessionId}`, { method: 'DELETE' });
  if (status !== 204 && status !== 200) throw new Error(`expected the session to be deleted, but received ${status}`);
}

async function exportAll(uploaded: { sessionId: string }) {
  for (;;) {
    try {
      const { last } = await api.run('export', uploaded as never, SETTINGS);
      if (last.event !== 'complete') throw new Error(JSON.stringify(last.data));
      return { results: last.data.results, failed: last.data.summary.failed };
    } catch (error) {
      if (!(error as Error).message.startsWith('503 ')) throw error;
      tally.waits += 1;
      await sleep(1000);
    }
  }
}

/** A JPEG with a comment after its start; its pixels stay what they are. */
function withComment(jpeg: Buffer, text: string): Buffer {
  const head = Buffer.from([0xff, 0xfe, 0, text.length + 2]);
  return Buffer.concat([jpeg.subarray(0, 2), head, Buffer.from(text), jpeg.subarray(2)]);
}

async function askForBalance(): Promise<void> {
  while (isRunning()) {
    const askedAt = performance.now();
    await api.balance();
    balances.push(performance.now() - askedAt);
    await sleep(250);
  }
}

async function watchMemory(): Promise<void> {
  while (isRunning()) {
    const { rss, rootRss } = memoryOf(service.pid);
    memory.push({ at: seconds(), all: rss, service: rootRss, sockets: await socketsOf(service.pid) });
    await sleep(2000);
  }
}

/** Counts the open sockets of a process: those of clients, and both ends of those to the embedded database. */
async function socketsOf(pid: number): Promise<number> {
  const names = await readdir(`/proc/${pid}/fd`);
  const targets = await Promise.all(names.map((name) => readlink(`/proc/${pid}/fd/${name}`).catch(() => '')));
  return targets.filter((target) => target.startsWith('socket:')).length;
}

function most(samples: Sample[]): number {
  return Math.max(0, ...samples.map(({ sockets }) => sockets));
}

/** Least squares, in megabytes a minute. */
function slopePerMinute(samples: Sample[], which: 'all' | 'service'): number {
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const at = mean(samples.map((sample) => sample.at));
  const megabytes = mean(samples.map((sample) => sample[which]));
  const covariance = mean(samples.map((sample) => (sample.at - at) * (sample[which] - megabytes)));
  return (covariance / mean(samples.map((sample) => (sample.at - at) ** 2))) * 60;
}

async function largest(folder: string, count: number): Promise<string[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.jpg')).map((name) => join(folder, name));
  const sized = await Promise.all(files.map(async (file) => ({ file, size: (await stat(file)).size })));
  return sized
    .sort((one, other) => other.size - one.size)
    .slice(0, count)
    .map(({ file }) => file);
}
