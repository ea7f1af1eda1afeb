import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAccountIn, type ServiceProcess, startServiceProcess } from '../../crash/service-process.ts';
import { startChildStore } from '../../db/embedded/child-store.ts';
import { startReplicaSet } from '../../db/replica-set/index.ts';
import { startS3Server } from '../../storage/s3-server.ts';
import { createApiClient } from '../../support/api-client.ts';
import { testDatabase } from '../../support/database.ts';
import { startFaultProxy } from '../../support/fault-proxy.ts';
import { startBalancer } from './balancer.ts';

const SERVERS = 3;
/** Credits of the account at the start. */
export const CREDITS = 1_000_000;
const PEPPER = 'one secret that all servers share';
const UNLIMITED = JSON.stringify({ free: { keys: 20, signupCredits: 0 } });

/** Starts three servers without a shared folder, on a replica set and an S3 store that can go away, behind a balancer. */
export async function startServers(settings: Record<string, string> = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'imagewright-drill-'));
  const given = testDatabase();
  if (given.uri) console.warn('SKIPPED: changes of the primary, since TEST_MONGODB_URI names a server of its own');
  const store = given.uri ? null : await startChildStore(join(directory, 'database'));
  const set = store && (await startReplicaSet(store.uri));
  const s3 = await startS3Server();
  const files = await startFaultProxy(s3.endpoint);
  const env = (server: number) => ({
    DATA_DIR: join(directory, `server-${server}`),
    MONGODB_URI: set?.uri ?? given.uri ?? '',
    API_KEY_PEPPER: PEPPER,
    PLANS: UNLIMITED,
    WORKERS: '1',
    ...s3.env('drill', files.url),
    ...settings,
  });
  const key = await createAccountIn(env(0), 'drill@example.com', CREDITS);
  const servers: (ServiceProcess | null)[] = [];
  for (let server = 0; server < SERVERS; server += 1) servers.push(await startServiceProcess(env(server)));
  const balancer = await startBalancer(() => servers.flatMap((server) => server?.url ?? []));
  return {
    /** The running servers; null while one is away. The balancer uses those that are here. */
    servers,
    /** Settings of a server. */
    env,
    /** Null on a given server, whose members stay as they are. */
    set,
    /** The way to the S3 store. */
    files,
    /** The account's client of the balancer. */
    api: createApiClient({ url: balancer.url, apiKey: key }),
    async close() {
      await balancer.close();
      await Promise.all(servers.map((server) => server?.kill()));
      await files.close();
      await s3.close();
      await set?.close();
      await store?.kill();
      await given.drop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
