import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { parseDataCommand } from '../../server/admin/data-commands.ts';
import { loadConfig } from '../../server/config/index.ts';
import { EMBEDDED_TIMEOUT_MS, openDatabase, snapshotEmbedded, startEmbedded } from '../../server/db/index.ts';
import { storageConfig } from '../../server/storage/config.ts';
import { openFiles } from '../../server/storage/index.ts';
import { startS3Server } from '../storage/s3-server.ts';
import { untilIdle } from '../support/aftermath.ts';
import { createApiClient } from '../support/api-client.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { startTestService } from '../support/service.ts';
import { plainImages } from '../support/small-images.ts';

const EXPORTS = 16;
const PEPPER = 'one secret of all servers of this test';

/** A cluster whose database other programs can copy at one moment, as a replica set. */
async function openStore(directory: string, name: string, files: Record<string, string>) {
  const path = join(directory, name);
  const store = await startEmbedded({ directory: path, logger: { warn() {} } });
  onTestFinished(() => store.close());
  const own = { DATA_DIR: join(directory, `${name}-scratch`), MONGODB_URI: store.uri, API_KEY_PEPPER: PEPPER };
  return { path, uri: store.uri, env: { ...own, ...files } };
}

/** Copies everything below one prefix to another, as a program for S3 does. */
async function copyFiles(from: Record<string, string>, to: Record<string, string>): Promise<void> {
  const [source, target] = await Promise.all([from, to].map((env) => openFiles(storageConfig.parse(env))));
  if (!source || !target) return;
  await target.scratch.prepare();
  const keys = ['store-id'];
  for (const folder of ['sessions', 'variants']) for await (const { key } of source.store.list(folder)) keys.push(key);
  for (const key of keys) {
    const opened = await source.store.open(key);
    // Removed before the hold took effect.
    if (!opened) continue;
    const file = target.scratch.newFile();
    await pipeline(opened.stream, createWriteStream(file));
    await target.store.putFile(key, file, { size: opened.size, contentType: 'application/octet-stream' });
  }
}

it('a dump of the database, then a copy of the bucket, under a hold: what is restored elsewhere is whole', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'imagewright-cluster-backup-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const s3 = await startS3Server();
  onTestFinished(() => s3.close());
  const source = await openStore(directory, 'source', s3.env('source'));
  const admin = (line: string) => parseDataCommand(line.split(' '))?.(loadConfig(source.env));
  const service = await startTestService({ ...source.env, WORKERS: '2', SWEEP_SECONDS: '1' });
  onTestFinished(() => service.close());
  const { api, apiKey, accountId } = await service.createAccount({ credits: 100 });
  const uploads = await Promise.all(
    Array.from({ length: EXPORTS }, async (_, index) => api.upload(await plainImages(2, { from: 2 * index }))),
  );
  let ended = 0;
  const exporting = uploads.map(async (uploaded) => {
    await api.run('export', uploaded, { format: 'webp' });
    ended += 1;
  });
  await vi.waitFor(() => expect(ended).toBeGreaterThan(1), PATIENCE_MS);

  await admin('backup hold --minutes 5');
  const copied = join(directory, 'copy');
  await snapshotEmbedded(source.path, copied);
  const deleted = uploads[0]?.sessionId;
  expect((await api.request(`/v1/sessions/${deleted}`, { method: 'DELETE' })).status).toBe(204);
  await copyFiles(source.env, { DATA_DIR: join(directory, 'copying'), ...s3.env('copy') });
  await admin('backup release');
  await Promise.all(exporting);

  const copy = await openStore(directory, 'copy', s3.env('copy'));
  const restored = await startTestService(copy.env);
  onTestFinished(() => restored.close());
  await untilIdle(restored);
  expect((await restored.service.accounts.audit()).broken).toEqual([]);
  const there = createApiClient({ url: restored.url, apiKey });
  const last = uploads.at(-1);
  if (last) expect((await there.run('export', last, { format: 'webp' })).last.event).toBe('complete');
  expect((await there.request(`/v1/sessions/${deleted}`)).status).toBe(200);
  const database = await openDatabase({ uri: copy.uri, timeoutMs: EMBEDDED_TIMEOUT_MS });
  onTestFinished(() => database.close());
  const { store } = await openFiles(storageConfig.parse(copy.env));
  let named = 0;
  for (const repository of [database.images, database.outputs])
    for await (const { path, size } of repository.namedFiles()) {
      expect(await store.head(path), path).toEqual({ size });
      named += 1;
    }
  expect(named).toBeGreaterThan(2 * EXPORTS);
  expect(await database.sessions.countLive(accountId, new Date())).toBe(EXPORTS);
});
