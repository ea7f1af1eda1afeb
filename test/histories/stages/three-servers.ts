import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChildStore } from '../../db/embedded/child-store.ts';
import { startS3Server } from '../../storage/s3-server.ts';
import { startKillableServers } from './killable-servers.ts';
import { type Stage, WIDE_LIMITS } from './stage.ts';

/** Starts three servers without a shared folder, on one database in a process of its own and an S3 store. */
export async function startThreeServers(): Promise<Stage> {
  const directory = await mkdtemp(join(tmpdir(), 'imagewright-histories-'));
  const database = await startChildStore(join(directory, 'database'));
  const s3 = await startS3Server();
  const env = (server: number) => ({
    DATA_DIR: join(directory, `server-${server}`),
    MONGODB_URI: database.uri,
    API_KEY_PEPPER: 'one secret that all servers share',
    PLANS: WIDE_LIMITS,
    WORKERS: '1',
    LEASE_SECONDS: '3',
    SWEEP_SECONDS: '5',
    ...s3.env('histories'),
  });
  return startKillableServers('three servers with S3', 3, env, async () => {
    await s3.close();
    await database.kill();
    await rm(directory, { recursive: true, force: true });
  });
}
