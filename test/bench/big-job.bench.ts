// One job of 10,000 small images: uploaded, exported with two widths, listed, and deleted. `npm run bench:big-job`, images by
// `IMAGEWRIGHT_BENCH_IMAGES` (10,000). The last images must not take longer than the first ones.
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { UploadResult } from '#contract';
import { auditOf, clientOf, createAccountIn, startServiceProcess } from '../crash/service-process.ts';
import { readEvents } from '../support/api-client.ts';
import { plainImages } from '../support/small-images.ts';
import { memoryOf } from './support/process-tree.ts';
import { type Figure, printFigures } from './support/table.ts';

const IMAGES = Number(process.env.IMAGEWRIGHT_BENCH_IMAGES ?? 10_000);
const IMAGES_A_REQUEST = 50;
const SETTINGS = {
  format: 'webp',
  preset: 'high',
  responsive: true,
  responsiveSizes: [{ width: 16 }, { width: 32 }],
};

const load = loadavg()[0]?.toFixed(1);
const dataDir = await mkdtemp(join(tmpdir(), 'imagewright-bench-'));
const env = { DATA_DIR: dataDir, LOG_LEVEL: 'warn', LOG_FORMAT: 'json', MAX_IMAGES_PER_SESSION: '100000' };
const apiKey = await createAccountIn(env, 'bench@example.com', IMAGES);
const service = await startServiceProcess({ ...env, LOG_LEVEL: 'info' });
const api = clientOf(service, apiKey);
const figures: Figure[] = [];
let peak = 0;
const watched = setInterval(() => {
  peak = Math.max(peak, memoryOf(service.pid).rootRss);
}, 1000);

try {
  const uploaded = await timed('upload', upload);
  const times = await timed('export', () => exportAll(uploaded));
  const tenth = Math.floor(IMAGES / 10);
  const [first = 0, last = 0] = [times[tenth], (times.at(-1) ?? 0) - (times.at(-tenth - 1) ?? 0)];
  add('the last tenth of the export against the first', `${(last / first).toFixed(2)}`, '<= 1.5', last / first <= 1.5);
  await timed('delete', async () => {
    const { status } = await api.request(`/v1/sessions/${uploaded.sessionId}`, { method: 'DELETE' });
    if (status !== 204 && status !== 200) throw new Error(`expected the session to be deleted, but received ${status}`);
  });
  const { ok, pending } = await auditOf(env);
  add('ledger sound, credits left', `${ok}, ${await api.balance()}`, 'true, 0', ok && !pending);
  add("memory, peak of the service's own process", `${peak.toFixed(0)} MB`, '');
  printFigures(`One job of ${IMAGES} images (load at the start: ${load})`, figures);
} finally {
  clearInterval(watched);
  await service.kill();
  await rm(dataDir, { recursive: true, force: true });
}

function add(what: string, measured: string, target: string, met?: boolean): void {
  figures.push({ what, measured, target, ...(met !== undefined && { met }) });
}

/** Runs one part and notes its time, and how long the balance took meanwhile. */
async function timed<T>(name: string, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const waits: number[] = [];
  const asking = setInterval(async () => {
    const askedAt = performance.now();
    await api.balance();
    waits.push(performance.now() - askedAt);
  }, 250);
  try {
    return await work();
  } finally {
    clearInterval(asking);
    const seconds = (performance.now() - startedAt) / 1000;
    const p95 = waits.sort((one, other) => one - other)[Math.floor(waits.length * 0.95)] ?? 0;
    add(name, `${seconds.toFixed(1)} s`, '');
    add(`balance during ${name}, p95`, `${p95.toFixed(0)} ms`, '< 250 ms', p95 < 250);
    console.log(`${name}: ${seconds.toFixed(1)} s`);
  }
}

async function upload(): Promise<UploadResult> {
  let uploaded: UploadResult | undefined;
  for (let from = 0; from < IMAGES; from += IMAGES_A_REQUEST) {
    const files = await plainImages(Math.min(IMAGES_A_REQUEST, IMAGES - from), { from });
    const answer = await api.upload(files, uploaded && { sessionId: uploaded.sessionId });
    uploaded = uploaded ? { ...uploaded, images: [...uploaded.images, ...answer.images] } : answer;
  }
  if (!uploaded) throw new Error('expected images');
  return uploaded;
}

/** Exports all images in one job. @returns milliseconds from the start to each image's end */
async function exportAll(uploaded: UploadResult): Promise<number[]> {
  const startedAt = performance.now();
  const times: number[] = [];
  const json = api.exportBody(uploaded, SETTINGS);
  const response = await api.request(`/v1/sessions/${uploaded.sessionId}/export`, { method: 'POST', json });
  for await (const { event, data } of readEvents(response)) {
    if (event === 'progress' && data.step === 'done') times.push(performance.now() - startedAt);
    if (event === 'error') throw new Error(JSON.stringify(data));
    if (event === 'complete' && data.summary.completed !== IMAGES) throw new Error(JSON.stringify(data.summary));
  }
  if (times.length < IMAGES) throw new Error(`expected the ends of ${IMAGES} images, but received ${times.length}`);
  return times;
}
