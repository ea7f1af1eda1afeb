import type { UploadResult } from '#contract';
import { cpuSecondsOf } from '../bench/support/process-tree.ts';
import { type ApiClient, readEvents } from '../support/api-client.ts';
import { startCluster } from './nodes.ts';

/** Cost of one job on some nodes. */
export interface OneJobFigures {
  nodes: number;
  /** Seconds from the request to the last event. */
  seconds: number;
  /** Seconds of processor time of the nodes, an image. */
  cpuAnImage: number;
  /** Part of all processor time that the database and the client used. */
  helpersShare: number;
}

/** Uploads in parts, since a request may carry so many files. */
const IN_REQUEST = 20;

/** Exports all images as one job on nodes of one worker and one core each. */
export async function measureOneJob(
  images: { name: string; bytes: Uint8Array }[],
  settings: { format: string; preset?: string },
  nodes: number,
): Promise<OneJobFigures> {
  const env = { WORKERS: '1', MAX_QUEUED_IMAGES: '1000000', MAX_IMAGES_PER_SESSION: '100000' };
  const cluster = await startCluster({ nodes, env, pinned: true });
  try {
    const api = cluster.apis[0] as ApiClient;
    const uploaded = await uploadAll(api, images);
    const usedBy = () => cluster.nodes.map(({ pid }) => cpuSecondsOf(pid)).reduce((sum, cpu) => sum + cpu);
    const database = cluster.store.process.pid ?? 0;
    const usedByHelpers = () =>
      cpuSecondsOf(database) + process.cpuUsage().user / 1e6 + process.cpuUsage().system / 1e6;
    const [nodesBefore, helpersBefore] = [usedBy(), usedByHelpers()];
    const startedAt = performance.now();
    const path = `/v1/sessions/${uploaded.sessionId}/export`;
    const response = await api.request(path, { json: api.exportBody(uploaded, settings) });
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    let completed = 0;
    for await (const { event, data } of readEvents(response))
      if (event === 'complete') completed = data.summary.completed;
    const seconds = (performance.now() - startedAt) / 1000;
    if (completed !== images.length) throw new Error(`expected ${images.length} images, but ${completed} completed`);
    const cpu = usedBy() - nodesBefore;
    const helpersCpu = usedByHelpers() - helpersBefore;
    return { nodes, seconds, cpuAnImage: cpu / images.length, helpersShare: helpersCpu / (cpu + helpersCpu) };
  } finally {
    await cluster.close();
  }
}

async function uploadAll(api: ApiClient, images: { name: string; bytes: Uint8Array }[]): Promise<UploadResult> {
  const first = await api.upload(images.slice(0, IN_REQUEST));
  for (let at = IN_REQUEST; at < images.length; at += IN_REQUEST) {
    const { images: added } = await api.upload(images.slice(at, at + IN_REQUEST), { sessionId: first.sessionId });
    first.images.push(...added);
  }
  return first;
}
