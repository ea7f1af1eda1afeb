// 40 photographs through HTTP, against a bare script that does the same encodes, which needs the search for the quality off; and with
// the search against without. `npm run bench:throughput`
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createAccountIn, type ServiceProcess, startServiceProcess } from '../crash/service-process.ts';
import { startS3Server } from '../storage/s3-server.ts';
import { photographFolder, smallImageFolder } from './support/photographs.ts';
import { cpuSecondsOf, memoryOf } from './support/process-tree.ts';
import { type Phases, runWorkflow } from './support/run-workflow.ts';
import { median, printFigures, ROUNDS } from './support/table.ts';

/**
 * Rounds of 40 small images before the measurement: a service runs for weeks, and the time that its first seconds take
 * to compile its JavaScript (0.6 s of processor time) says nothing of them.
 */
const WARM_UPS = 10;
const BARE = fileURLToPath(new URL('./support/bare-process.ts', import.meta.url));

/** Measures how late a timer fires in the service's main thread since it was last asked; nothing else in the process knows. */
const LAG_PROBE = `data:text/javascript,
  import { isMainThread } from 'node:worker_threads';
  if (isMainThread && process.send) {
    const late = []; let last = performance.now();
    setInterval(() => { const now = performance.now(); late.push(Math.max(0, now - last - 5)); last = now; }, 5).unref();
    process.on('message', () => { late.sort((a, b) => a - b); process.send({ p99: late[Math.floor(late.length * 0.99)], max: late.at(-1) }); late.length = 0; });
    process.channel.unref();
  }`;

/** Milliseconds. */
interface Lag {
  p99: number;
  max: number;
}

interface Round {
  phases: Phases;
  wall: number;
  cpu: number;
  pss: number;
  rss: number;
}

/** Values measured beside the time; each costs some time, and has a round of its own. */
type Watched = 'memory' | 'lag';

async function throughService(
  watched?: Watched,
  settings: Record<string, string> = {},
): Promise<Round & { lag: Lag | undefined }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'imagewright-bench-'));
  const env = { DATA_DIR: dataDir, LOG_LEVEL: 'info', QUALITY_SEARCH: 'off', ...settings };
  const apiKey = await createAccountIn(env, 'bench@example.com', 1000);
  const service = await startServiceProcess(env, watched === 'lag' ? ['--import', LAG_PROBE] : []);
  const lagOfService = async () => (watched === 'lag' ? lagOf(service) : undefined);
  const peak = { pss: 0, rss: 0 };
  const sampler = setInterval(() => {
    if (watched !== 'memory') return;
    const { pss, rss } = memoryOf(service.pid);
    peak.pss = Math.max(peak.pss, pss);
    peak.rss = Math.max(peak.rss, rss);
  }, 100);
  try {
    for (let times = 0; times < WARM_UPS; times += 1) await runWorkflow(service, apiKey, small, join(dataDir, 'small'));
    await lagOfService();
    const cpuBefore = cpuSecondsOf(service.pid);
    const startedAt = performance.now();
    const { phases, results } = await runWorkflow(service, apiKey, folder, join(dataDir, 'downloads'));
    // The bare script makes no lossless attempts: with photographs the service must not have made any either.
    const lossless = results.filter(({ quality }) => quality.used === 'lossless');
    if (lossless.length > 0)
      throw new Error(`expected lossy files only, but received ${lossless.length} lossless ones`);
    const wall = (performance.now() - startedAt) / 1000;
    const cpu = cpuSecondsOf(service.pid) - cpuBefore;
    return { phases, wall, cpu, ...peak, lag: await lagOfService() };
  } finally {
    clearInterval(sampler);
    await service.kill();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Since it was last asked. */
function lagOf({ child }: ServiceProcess): Promise<Lag> {
  return new Promise((resolve) => {
    child.once('message', (message) => resolve(message as Lag));
    child.send('lag');
  });
}

async function throughBareScript(): Promise<{ wall: number; cpu: number }> {
  const target = await mkdtemp(join(tmpdir(), 'imagewright-bare-'));
  const output = execFileSync(process.execPath, ['--import', 'tsx', BARE, folder, target, small], { encoding: 'utf8' });
  await rm(target, { recursive: true, force: true });
  return JSON.parse(output) as { wall: number; cpu: number };
}

const folder = await photographFolder();
const small = await smallImageFolder();
const load = loadavg()[0]?.toFixed(1);
const ratios: number[] = [];
const services: Round[] = [];
const bares: { wall: number; cpu: number }[] = [];
/** Of a service that keeps its files in an S3 server of this process. */
const onS3: number[] = [];
/** With the search for the quality, relative to without. */
const searching: { wall: number; cpu: number }[] = [];
const s3 = await startS3Server();
for (let round = 0; round < ROUNDS; round += 1) {
  const bare = await throughBareScript();
  const service = await throughService();
  bares.push(bare);
  services.push(service);
  ratios.push(service.wall / bare.wall);
  const searched = await throughService(undefined, { QUALITY_SEARCH: 'on' });
  searching.push({ wall: searched.wall / service.wall, cpu: searched.cpu / service.cpu });
  onS3.push((await throughService(undefined, s3.env(`round-${round}`))).wall / service.wall);
  const wall = `${service.wall.toFixed(2)} s against ${bare.wall.toFixed(2)} s`;
  console.log(`round ${round + 1}: ${wall} (CPU ${service.cpu.toFixed(1)} against ${bare.cpu.toFixed(1)})`);
}
await s3.close();
// Reading every page's share costs time, and so does a timer that fires 200 times a second.
const watched = await throughService('memory');
const { p99, max } = (await throughService('lag')).lag as Lag;

const ratio = median(ratios);
const cores = median(services.map(({ cpu, wall }) => cpu / wall));
const searchCpu = median(searching.map(({ cpu }) => cpu));
const middle = (values: number[]) => median(values).toFixed(2);
printFigures(`40 photographs to WebP high, median of ${ROUNDS} (load at the start: ${load})`, [
  { what: 'bare script', measured: `${middle(bares.map(({ wall }) => wall))} s`, target: '' },
  { what: 'service: upload, export, download', measured: `${middle(services.map(({ wall }) => wall))} s`, target: '' },
  ...(['upload', 'export', 'download'] as const).map((phase) => ({
    what: `of it ${phase}`,
    measured: `${middle(services.map(({ phases }) => phases[phase]))} s`,
    target: '',
  })),
  { what: 'wall, service / bare', measured: ratio.toFixed(3), target: '<= 1.10', met: ratio <= 1.1 },
  { what: 'wall, S3 / folder', measured: middle(onS3), target: '<= 1.15', met: median(onS3) <= 1.15 },
  { what: 'wall, search on / off', measured: middle(searching.map((one) => one.wall)), target: '' },
  {
    what: 'processor time, search on / off',
    measured: searchCpu.toFixed(2),
    target: '<= 1.25',
    met: searchCpu <= 1.25,
  },
  { what: 'cores busy, service (CPU / wall)', measured: cores.toFixed(2), target: '' },
  { what: 'cores busy, bare', measured: middle(bares.map(({ cpu, wall }) => cpu / wall)), target: '' },
  {
    what: 'peak memory, sum of PSS',
    measured: `${watched.pss.toFixed(0)} MB`,
    target: '<= 700 MB',
    met: watched.pss <= 700,
  },
  { what: 'peak memory, sum of RSS', measured: `${watched.rss.toFixed(0)} MB`, target: '' },
  { what: 'event loop lag, p99', measured: `${p99.toFixed(1)} ms`, target: '<= 10 ms', met: p99 <= 10 },
  { what: 'event loop lag, longest', measured: `${max.toFixed(1)} ms`, target: '' },
]);
