import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbedded } from '../../server/db/index.ts';
import { startTestService, type TestService } from './service.ts';

/** Places of a service's counts: its process, or a database that several servers may use. */
export const COUNTERS = ['in process', 'shared'] as const;

/** A service, and a second one on the same data where counts are shared. */
export interface CountingService extends TestService {
  /** Base URLs of all servers. */
  urls: string[];
}

/** Starts a service with counts of its own, or two that share theirs, as servers with `MONGODB_URI` do. */
export async function startWithCounters(
  kind: (typeof COUNTERS)[number],
  env: Record<string, string> = {},
): Promise<CountingService> {
  if (kind === 'in process') {
    const service = await startTestService(env);
    return { ...service, urls: [service.url] };
  }
  const directory = await mkdtemp(join(tmpdir(), 'imagewright-counters-'));
  const store = await startEmbedded({ directory: join(directory, 'store') });
  const shared = { ...env, DATA_DIR: join(directory, 'data'), MONGODB_URI: store.uri };
  const servers = [await startTestService(shared), await startTestService(shared)] as const;
  return {
    ...servers[0],
    urls: servers.map(({ url }) => url),
    async close() {
      for (const server of servers) await server.close();
      await store.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
