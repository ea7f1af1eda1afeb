import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clientOf, createAccountIn, startServiceProcess } from '../crash/service-process.ts';
import { startChildStore } from '../db/embedded/child-store.ts';
import { startReplicaSet } from '../db/replica-set/index.ts';
import { startS3Server } from '../storage/s3-server.ts';
import { startFaultProxy } from '../support/fault-proxy.ts';
import { inParallel } from '../support/raw-request.ts';
import { noiseImage } from '../support/small-images.ts';

/** Load of an image on the systems that all servers share. */
export interface Costs {
  /** Database commands an image, from the upload to the download. */
  commands: number;
  /** Number of them that write. */
  writes: number;
  /** Requests of S3 an image. */
  requests: number;
}

const IN_SESSION = 20;
const JOBS = 10;
const AT_ONCE = 4;
const WRITES = new Set(['insert', 'update', 'delete', 'findAndModify']);

/** Uploads, exports and downloads images in jobs of 20 on one server, and counts what it asks of database and S3. */
export async function measureCosts(): Promise<Costs> {
  const directory = await mkdtemp(join(tmpdir(), 'imagewright-costs-'));
  const store = await startChildStore(join(directory, 'database'));
  const set = await startReplicaSet(store.uri);
  const s3 = await startS3Server();
  const files = await startFaultProxy(s3.endpoint);
  const env = {
    DATA_DIR: join(directory, 'server'),
    MONGODB_URI: set.uri,
    PLANS: JSON.stringify({ free: { keys: 20, signupCredits: 0 } }),
    ...s3.env('costs', files.url),
  };
  const key = await createAccountIn(env, 'costs@example.com', 10_000);
  const service = await startServiceProcess(env);
  try {
    const api = clientOf(service, key);
    set.reset();
    files.reset();
    await inParallel(Array.from({ length: JOBS }), AT_ONCE, async (_, job) => {
      const pictures = Array.from({ length: IN_SESSION }, (_unused, index) =>
        noiseImage(`${index}.png`, { width: 120, height: 80, seed: job * IN_SESSION + index + 1 }),
      );
      const uploaded = await api.upload(await Promise.all(pictures));
      const { last } = await api.run('export', uploaded, { format: 'webp' });
      for (const result of last.data.results ?? [])
        if ('variants' in result) await (await api.request(result.variants[0]?.url ?? '')).arrayBuffer();
    });
    const images = JOBS * IN_SESSION;
    const writes = set.seen.filter(({ command }) => WRITES.has(command)).length;
    return { commands: set.seen.length / images, writes: writes / images, requests: files.seen.length / images };
  } finally {
    await service.kill();
    await files.close();
    await s3.close();
    await set.close();
    await store.kill();
    await rm(directory, { recursive: true, force: true });
  }
}
