// Memory of 1,000 streams that follow a running job. `npm run bench:idle-streams`
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { clientOf, createAccountIn, startServiceProcess } from '../crash/service-process.ts';
import { metric } from '../support/aftermath.ts';
import { noiseImage } from '../support/small-images.ts';
import { cpuSecondsOf, memoryOf } from './support/process-tree.ts';
import { printFigures } from './support/table.ts';

const STREAMS = 1000;
const SETTLE_MS = 6000;
const CPU_MS = 10_000;

/** Opens a stream as a client would that only listens, with as little of its own as possible. */
function openStream(url: string, path: string, apiKey: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    socket.once('error', reject);
    socket.once('data', () => resolve(socket));
    socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nX-API-Key: ${apiKey}\r\n\r\n`);
  });
}

const dataDir = await mkdtemp(join(tmpdir(), 'imagewright-bench-'));
const apiKey = await createAccountIn({ DATA_DIR: dataDir }, 'bench@example.com', 1000);
const load = loadavg()[0]?.toFixed(1);
const service = await startServiceProcess({
  DATA_DIR: dataDir,
  IMAGE_TIMEOUT_SECONDS: '3600',
  CONNECTIONS_PER_ADDRESS: '4096',
  PLANS: JSON.stringify({ free: { keys: 1, streams: 4096 } }),
});
const sockets: Socket[] = [];
try {
  const api = clientOf(service, apiKey);
  const uploaded = await api.upload([await noiseImage('noise.png', { width: 1200, height: 900 })]);
  // Stopped encoders keep a job running for as long as it is needed, and cost nothing meanwhile.
  for (const pid of service.workers.slice(0, 2)) process.kill(pid, 'SIGSTOP');
  const response = await api.request(`/v1/sessions/${uploaded.sessionId}/export`, {
    json: api.exportBody(uploaded, { format: 'webp' }),
  });
  const path = `/v1/jobs/${response.headers.get('X-Job-Id')}/events`;
  // Routes, pools and caches warm up before the base is read.
  for (let index = 0; index < 50; index += 1) (await openStream(service.url, path, apiKey)).destroy();
  await sleep(SETTLE_MS);
  const base = memoryOf(service.pid);
  for (let index = 0; index < STREAMS; index += 1) sockets.push(await openStream(service.url, path, apiKey));
  await sleep(SETTLE_MS);
  const open = await metric(service.url, 'imagewright_open_streams');
  const after = memoryOf(service.pid);
  const cpuBefore = cpuSecondsOf(service.pid);
  await sleep(CPU_MS);
  const cpu = ((cpuSecondsOf(service.pid) - cpuBefore) / (CPU_MS / 1000)) * 100;
  const grown = after.rss - base.rss;
  printFigures(`${STREAMS} idle streams on a running job (load at the start: ${load})`, [
    { what: 'open streams', measured: String(open), target: `>= ${STREAMS}`, met: open >= STREAMS },
    { what: 'memory before (RSS)', measured: `${base.rss.toFixed(0)} MB`, target: '' },
    { what: 'memory above that (RSS)', measured: `${grown.toFixed(0)} MB`, target: '<= 80 MB', met: grown <= 80 },
    { what: 'memory above that (PSS)', measured: `${(after.pss - base.pss).toFixed(0)} MB`, target: '' },
    { what: 'CPU of one core', measured: `${cpu.toFixed(1)} %`, target: '' },
  ]);
} finally {
  for (const socket of sockets) socket.destroy();
  for (const pid of service.workers) process.kill(pid, 'SIGCONT');
  await service.kill();
  await rm(dataDir, { recursive: true, force: true });
}
