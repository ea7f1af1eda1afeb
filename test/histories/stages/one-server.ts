import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startKillableServers } from './killable-servers.ts';
import { type Stage, WIDE_LIMITS } from './stage.ts';

/** Starts one server with the embedded database and a folder. */
export async function startOneServer(): Promise<Stage> {
  const directory = await mkdtemp(join(tmpdir(), 'imagewright-histories-'));
  const env = { DATA_DIR: directory, PLANS: WIDE_LIMITS, WORKERS: '1', LEASE_SECONDS: '3', SWEEP_SECONDS: '5' };
  return startKillableServers(
    'one server',
    1,
    () => env,
    () => rm(directory, { recursive: true, force: true }),
  );
}
