import { setTimeout as sleep } from 'node:timers/promises';
import { storageConfig } from '../../../server/storage/config.ts';
import { openFiles } from '../../../server/storage/index.ts';
import { auditOf, createAccountIn, type ServiceProcess, startServiceProcess } from '../../crash/service-process.ts';
import { startBalancer } from '../../drill/cluster/balancer.ts';
import { createApiClient } from '../../support/api-client.ts';
import type { Stage } from './stage.ts';

/** Starts built services behind a balancer, each of which can be killed. @param env settings of a server */
export async function startKillableServers(
  name: string,
  count: number,
  env: (server: number) => Record<string, string>,
  closeRest: () => Promise<void>,
): Promise<Stage> {
  const servers: (ServiceProcess | null)[] = [];
  for (let server = 0; server < count; server += 1) servers.push(await startServiceProcess(env(server)));
  const balancer = await startBalancer(() => servers.flatMap((server) => server?.url ?? []));
  /** The last start of each server. */
  const starts = servers.map(() => Promise.resolve());
  const stage: Stage = {
    name,
    url: balancer.url,
    kills: 0,
    async kill(number) {
      const which = number % count;
      // One after the other: whoever is killed twice at once is started in between.
      const killed = (starts[which] ?? Promise.resolve()).then(async () => {
        stage.kills += 1;
        const old = servers[which];
        servers[which] = null;
        await old?.kill();
      });
      const started = killed.then(async () => {
        servers[which] = await startAgain(env(which));
      });
      // Whoever waits for it gets the error; nobody may.
      started.catch(() => {});
      starts[which] = started;
      await killed;
    },
    async whole() {
      await Promise.all(starts);
    },
    async createAccount(email, credits) {
      await stage.whole();
      return createApiClient({ url: balancer.url, apiKey: await createAccountIn(env(0), email, credits) });
    },
    async audit() {
      await stage.whole();
      return auditOf(env(0));
    },
    async filesBelow(folder) {
      const { store } = await openFiles(storageConfig.parse(env(0)));
      const keys: string[] = [];
      for await (const { key } of store.list(folder)) keys.push(key);
      return keys;
    },
    async close() {
      await Promise.allSettled(starts);
      await balancer.close();
      await Promise.all(servers.map((server) => server?.kill()));
      await closeRest();
    },
  };
  return stage;
}

/** Starts a service, again while the lock of its killed predecessor is held. */
async function startAgain(env: Record<string, string>): Promise<ServiceProcess> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startServiceProcess(env);
    } catch (error) {
      if (attempt === 5) throw error;
      await sleep(500);
    }
  }
}
