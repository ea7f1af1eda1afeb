import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import { type Job, UNFINISHED_JOB_STATES } from '#contract';
import { memoryOf } from '../bench/support/process-tree.ts';
import { startReplicaSet } from '../db/replica-set/index.ts';
import { type ApiClient, readEvents } from '../support/api-client.ts';
import { inParallel } from '../support/raw-request.ts';
import { startCluster } from './nodes.ts';

/** Jobs whose streams are read on both nodes, to compare when events arrive: those that are worked on next. */
const COMPARED = 100;
const OPENED_AT_ONCE = 10;
const CANCELLED = 5;
const IN_SESSION = 20;

/** Cost of following jobs of another node. */
export interface FollowingFigures {
  streams: number;
  /** Database commands a second of the following node. */
  queriesPerSecond: number;
  /** Growth of the following node, in megabytes. */
  grownMb: number;
  /** Milliseconds by which an event arrives later than on the node that works on the job. */
  latencyMs: { p50: number; p95: number };
  /** Milliseconds from a cancellation through the following node to the end of the stream on the working one. */
  cancelMs: number[];
  /** Events that were compared. */
  events: number;
}

/** Starts jobs on one node, follows all of them on another for `seconds`, and cancels some through that. */
export async function measureFollowing(streams: number, seconds: number): Promise<FollowingFigures> {
  let set: Awaited<ReturnType<typeof startReplicaSet>> | undefined;
  const cluster = await startCluster({
    nodes: 2,
    // All streams come from one address.
    env: { WORKERS: '1', MAX_QUEUED_IMAGES: '1000000', CONNECTIONS_PER_ADDRESS: String(2 * streams) },
    async uriOf(node, store) {
      if (node === 0) return store;
      // Counts the commands of the following node.
      set = await startReplicaSet(store);
      return set.uri;
    },
  });
  const leaving = new AbortController();
  try {
    const [working, following] = cluster.apis as [ApiClient, ApiClient];
    const node = cluster.nodes[1];
    if (!node || !set) throw new Error('expected two nodes');
    const jobs = await startJobs(working, streams, leaving.signal);
    await sleep(3000);
    const before = memoryOf(node.pid).rootRss;
    const there = new Map<string, number>();
    const here = new Map<string, number>();
    const read = (api: ApiClient, jobId: string, times: Map<string, number>) =>
      readStream(api, jobId, times, leaving.signal);
    await inParallel(jobs, OPENED_AT_ONCE, (jobId) => read(following, jobId, here));
    const next = (await unfinished(working, jobs)).slice(0, COMPARED);
    await inParallel(next, OPENED_AT_ONCE, (jobId) => read(working, jobId, there));
    await sleep(5000);
    set.reset();
    const from = performance.now();
    await sleep(seconds * 1000);
    const queriesPerSecond = set.seen.length / seconds;
    const grownMb = memoryOf(node.pid).rootRss - before;
    const cancelMs = [];
    for (const jobId of jobs.slice(-CANCELLED)) cancelMs.push(await timeCancel(working, following, jobId));
    return { streams, queriesPerSecond, grownMb, ...delays(there, here, from), cancelMs };
  } finally {
    leaving.abort();
    await cluster.close();
    await set?.close();
  }
}

/** Starts many exports that cannot share a result, and leaves their streams. */
async function startJobs(api: ApiClient, count: number, signal: AbortSignal): Promise<string[]> {
  const jobs: string[] = [];
  while (jobs.length < count) {
    const images = await Promise.all(
      Array.from({ length: IN_SESSION }, (_, index) => distinctImage(jobs.length + index)),
    );
    const { sessionId, images: held } = await api.upload(images);
    for (const { id } of held) {
      const json = { images: [{ id }], settings: { format: 'avif', preset: 'high' } };
      const response = await api.request(`/v1/sessions/${sessionId}/export`, { json, signal });
      if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
      jobs.push(response.headers.get('X-Job-Id') ?? '');
      await response.body?.cancel();
    }
  }
  return jobs;
}

/** Returns those jobs that have not ended, in their order. */
async function unfinished(api: ApiClient, jobs: string[]): Promise<string[]> {
  const found = new Set<string>();
  await inParallel(jobs, OPENED_AT_ONCE, async (jobId) => {
    const { status } = await api.readJson<Job>(`/v1/jobs/${jobId}`);
    if (UNFINISHED_JOB_STATES.some((state) => state === status)) found.add(jobId);
  });
  return jobs.filter((jobId) => found.has(jobId));
}

/** A noisy image that is like no other. */
async function distinctImage(number: number) {
  const [width, height] = [1000, 640];
  const pixels = Buffer.alloc(width * height * 3);
  for (let at = 0; at < pixels.length; at += 1) pixels[at] = (at * 2_654_435_761 * (number + 1)) >>> 24;
  const bytes = await sharp(pixels, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 80 })
    .toBuffer();
  return { name: `${number}.jpg`, bytes };
}

/** Opens a stream and records in the background when each of its events arrives. */
async function readStream(
  api: ApiClient,
  jobId: string,
  times: Map<string, number>,
  signal: AbortSignal,
): Promise<void> {
  const response = await api.request(`/v1/jobs/${jobId}/events`, { signal });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  const read = async () => {
    for await (const { id } of readEvents(response)) times.set(id, performance.now());
  };
  read().catch(() => {});
}

/** Cancels a job through one node and returns the time until its stream ends on the other. */
async function timeCancel(working: ApiClient, following: ApiClient, jobId: string): Promise<number> {
  const stream = await working.request(`/v1/jobs/${jobId}/events`);
  const ended = (async () => {
    for await (const { event } of readEvents(stream)) if (event !== 'progress') return;
  })();
  const startedAt = performance.now();
  await following.request(`/v1/jobs/${jobId}/cancel`, { method: 'POST' });
  await ended;
  return performance.now() - startedAt;
}

/** Compares when events arrived that were new at a time. */
function delays(there: Map<string, number>, here: Map<string, number>, from: number) {
  const late = [...there]
    .flatMap(([id, at]) => (at > from && here.has(id) ? (here.get(id) ?? 0) - at : []))
    .sort((a, b) => a - b);
  const at = (part: number) => late[Math.floor(late.length * part)] ?? Number.NaN;
  return { latencyMs: { p50: at(0.5), p95: at(0.95) }, events: late.length };
}
