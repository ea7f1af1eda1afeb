import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clientOf, createAccountIn, type ServiceProcess, startServiceProcess } from '../crash/service-process.ts';
import { type ChildStore, startChildStore } from '../db/embedded/child-store.ts';
import type { ApiClient } from '../support/api-client.ts';

/** Services in processes of their own, on one database in a process of its own. */
export interface Cluster {
  nodes: ServiceProcess[];
  store: ChildStore;
  /** The account's client of each node. */
  apis: ApiClient[];
  close(): Promise<void>;
}

/** Options of {@link startCluster}. */
export interface ClusterOptions {
  nodes: number;
  /** Settings of all nodes. */
  env?: Record<string, string>;
  /** Connection string of a node; given that of the store. @default the same */
  uriOf?: (node: number, store: string) => Promise<string>;
  /** Gives each node a processor of its own. @default false */
  pinned?: boolean;
  credits?: number;
}

/** Starts nodes that share a database and a folder. */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const { env = {}, uriOf = async (_node, store) => store, pinned = false, credits = 100_000 } = options;
  const directory = await mkdtemp(join(tmpdir(), 'imagewright-cluster-'));
  const store = await startChildStore(join(directory, 'store'));
  // With less work, the cost of a second server is a larger share.
  const shared = { QUALITY_SEARCH: 'off', ...env, DATA_DIR: directory, PLANS: UNLIMITED, LOG_LEVEL: 'info' };
  const apiKey = await createAccountIn({ ...shared, MONGODB_URI: store.uri }, 'cluster@example.com', credits);
  const nodes: ServiceProcess[] = [];
  for (let node = 0; node < options.nodes; node += 1) {
    const settings = { ...shared, MONGODB_URI: await uriOf(node, store.uri) };
    const onCore = { node: 'taskset' };
    nodes.push(
      pinned
        ? await startServiceProcess(settings, ['-c', String(node), process.execPath], onCore)
        : await startServiceProcess(settings),
    );
  }
  return {
    nodes,
    store,
    apis: nodes.map((node) => clientOf(node, apiKey)),
    async close() {
      await Promise.all(nodes.map((node) => node.kill()));
      await store.kill();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** One plan without limits, but for streams that are open at once. */
const UNLIMITED = JSON.stringify({ free: { keys: 20, signupCredits: 0, streams: 4096 } });
