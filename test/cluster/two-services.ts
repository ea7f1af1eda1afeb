import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { UploadResult } from '#contract';
import { cpuSecondsOf } from '../bench/support/process-tree.ts';
import { clientOf, createAccountIn, type ServiceProcess, startServiceProcess } from '../crash/service-process.ts';
import { type ChildStore, startChildStore } from '../db/embedded/child-store.ts';
import type { S3Server } from '../storage/s3-server.ts';
import { type ApiClient, readEvents } from '../support/api-client.ts';
import { inParallel } from '../support/raw-request.ts';

/** Two servers on one database and one prefix, or two services that share nothing but the S3 server. */
export type Arrangement = 'cluster' | 'separate';

/** Results of an export on two servers. */
export interface ExportFigures {
  imagesPerSecond: number;
  /** Part of all processor time that databases, the S3 server and the client used. */
  helpersShare: number;
}

const SERVERS = [0, 1];
const IN_SESSION = 4;
/** Exports of a server at once. */
const LANES = 2;
const CREDITS = 100_000;
const SETTINGS = { format: 'webp', preset: 'high' };
let measured = 0;

/** Exports the images on two servers of one worker and one core each, half of them on each. */
export async function measureTwoServers(
  images: { name: string; bytes: Uint8Array }[],
  arrangement: Arrangement,
  s3: S3Server,
): Promise<ExportFigures> {
  measured += 1;
  const directory = await mkdtemp(join(tmpdir(), 'imagewright-two-'));
  const stores: ChildStore[] = [];
  const nodes: ServiceProcess[] = [];
  try {
    const apis: ApiClient[] = [];
    for (const server of SERVERS) {
      const part = arrangement === 'cluster' ? 0 : server;
      stores[part] ??= await startChildStore(join(directory, `database-${part}`));
      const env = {
        DATA_DIR: join(directory, `server-${server}`),
        MONGODB_URI: stores[part].uri,
        API_KEY_PEPPER: 'one secret of all servers of this bench',
        PLANS: JSON.stringify({ free: { keys: 20, signupCredits: 0 } }),
        WORKERS: '1',
        QUALITY_SEARCH: 'off',
        ...s3.env(`two-${measured}-${part}`),
      };
      const key = await createAccountIn(env, `owner-${server}@example.com`, CREDITS);
      const node = await startServiceProcess(env, ['-c', String(server), process.execPath], { node: 'taskset' });
      nodes.push(node);
      apis.push(clientOf(node, key));
    }
    const sessions = await Promise.all(apis.map((api, server) => uploadHalf(api, images, server)));
    const pids = { nodes: nodes.map(({ pid }) => pid), stores: stores.map(({ process: { pid = 0 } }) => pid) };
    const before = cpuOf(pids);
    const startedAt = performance.now();
    await Promise.all(apis.map((api, server) => exportAll(api, sessions[server] ?? [])));
    const seconds = (performance.now() - startedAt) / 1000;
    const after = cpuOf(pids);
    const helpers = after.helpers - before.helpers;
    const helpersShare = helpers / (helpers + after.nodes - before.nodes);
    return { imagesPerSecond: images.length / seconds, helpersShare };
  } finally {
    await Promise.all(nodes.map((node) => node.kill()));
    await Promise.all(stores.map((store) => store.kill()));
    await rm(directory, { recursive: true, force: true });
  }
}

/** Seconds of processor time; this process is the client and the S3 server. */
function cpuOf({ nodes, stores }: { nodes: number[]; stores: number[] }) {
  const { user, system } = process.cpuUsage();
  const sum = (pids: number[]) => pids.map(cpuSecondsOf).reduce((all, one) => all + one, 0);
  return { nodes: sum(nodes), helpers: sum(stores) + (user + system) / 1e6 };
}

/** Uploads every second image, and exports a small part of them as a warm-up. */
async function uploadHalf(api: ApiClient, images: { name: string; bytes: Uint8Array }[], server: number) {
  const own = images.filter((_, index) => index % SERVERS.length === server);
  const sessions: UploadResult[] = [];
  for (let at = 0; at < own.length; at += IN_SESSION) sessions.push(await api.upload(own.slice(at, at + IN_SESSION)));
  const [first] = sessions;
  if (first) await exportOne(api, first, { ...SETTINGS, format: 'jpeg' });
  return sessions;
}

async function exportAll(api: ApiClient, sessions: UploadResult[]): Promise<void> {
  await inParallel(sessions, LANES, (uploaded) => exportOne(api, uploaded, SETTINGS));
}

async function exportOne(api: ApiClient, uploaded: UploadResult, settings: object): Promise<void> {
  const json = api.exportBody(uploaded, settings as never);
  const response = await api.request(`/v1/sessions/${uploaded.sessionId}/export`, { json });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  let completed = 0;
  for await (const { event, data } of readEvents(response))
    if (event === 'complete') completed = data.summary.completed;
  if (completed !== uploaded.images.length) throw new Error(`expected all images, but ${completed} completed`);
}
