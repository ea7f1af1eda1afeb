import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { MongoClient } from 'mongodb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Job } from '#contract';
import { openAccounts } from '../../server/compose-accounts.ts';
import { type Database, openDatabase, startEmbedded } from '../../server/db/index.ts';
import { newId } from '../../server/ids.ts';
import { filesOf } from '../support/aftermath.ts';
import type { ApiClient } from '../support/api-client.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { storeJob } from '../support/stored-job.ts';
import { faultyFiles } from './files-on-disk.ts';
import { auditOf, clientOf, type ServiceProcess, startServiceProcess } from './service-process.ts';
import { smallPhotographs } from './small-photographs.ts';

const IMAGES = 3;
const DAYS_AGO = new Date(Date.now() - 3 * 86_400_000);

describe('what an interruption left is cleaned or finished at the next start', () => {
  let dataDir: string;
  let test: TestService | undefined;
  let again: ServiceProcess | undefined;

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'imagewright-leftovers-'));
  });
  afterEach(async () => {
    await test?.close();
    await again?.kill();
    test = undefined;
    again = undefined;
    await rm(dataDir, { recursive: true, force: true });
  });

  const inDatabase = async <T>(work: (database: Database) => Promise<T>): Promise<T> => {
    const embedded = await startEmbedded({ directory: join(dataDir, 'db') });
    const database = await openDatabase({ uri: embedded.uri });
    try {
      return await work(database);
    } finally {
      await database.close();
      await embedded.close();
    }
  };

  /** Moves a session's expiry into the past, which the service itself never does. */
  async function expire(sessionId: string): Promise<void> {
    const embedded = await startEmbedded({ directory: join(dataDir, 'db') });
    const client = await new MongoClient(embedded.uri).connect();
    const sessions = client.db().collection<{ _id: string }>('sessions');
    await sessions.updateOne({ _id: sessionId }, { $set: { expiresAt: new Date(Date.now() - 1000) } });
    await client.close();
    await embedded.close();
  }

  it('files: half received, half written, variants and folders that no record names', async () => {
    const young = ['incoming/a.part', 'incoming/b.link'];
    const old = [
      'variants/ab/abcd.webp.1234.part',
      'variants/cd/cdef.webp',
      'variants/ef/ef01-0a1b2c3d.webp',
      'sessions/sess_gone/img_a.jpg',
      'sessions/sess_gone-sample/exports/a.webp',
      'sessions/sess_x/previews/p-320.webp.1.part',
    ];
    for (const key of [...young, ...old]) {
      const path = join(dataDir, 'files', key);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, 'half');
    }
    for (const key of [...old, 'sessions/sess_gone', 'sessions/sess_gone-sample']) {
      await utimes(join(dataDir, 'files', key), DAYS_AGO, DAYS_AGO);
    }
    test = await startTestService({ DATA_DIR: dataDir });
    const left = () =>
      [...young, ...old, 'sessions/sess_gone', 'sessions/sess_gone-sample'].filter((key) =>
        existsSync(join(dataDir, 'files', key)),
      );
    await expect.poll(left).toEqual([]);
  });

  it('jobs: unpaid ones vanish, paid ones are finished, old and cancelled ones are refunded', async () => {
    test = await startTestService({ DATA_DIR: dataDir });
    const { accountId, apiKey, api: before } = await test.createAccount({ credits: 100 });
    const uploaded = await before.upload(await smallPhotographs(IMAGES));
    await test.close();
    test = undefined;

    const now = Date.now();
    const left: Record<string, { state: 'created' | 'processing'; paid: boolean; idleMs: number; cancel?: boolean }> = {
      unpaid: { state: 'created', paid: false, idleMs: 1000 },
      paid: { state: 'created', paid: true, idleMs: 1000 },
      processing: { state: 'processing', paid: true, idleMs: 1000 },
      // The lease of a server that died a moment ago still runs: nobody else can be using the embedded database.
      leased: { state: 'processing', paid: true, idleMs: -10_000 },
      old: { state: 'processing', paid: true, idleMs: 3_600_000 },
      cancelled: { state: 'processing', paid: true, idleMs: 1000, cancel: true },
    };
    const ids = Object.fromEntries(Object.keys(left).map((name) => [name, newId('job')]));
    await inDatabase(async (database) => {
      for (const [name, { state, idleMs, cancel = false }] of Object.entries(left)) {
        await storeJob(database, uploaded, {
          _id: ids[name] ?? '',
          accountId,
          state,
          settings: { format: 'webp', preset: 'low', responsive: false, embedMetadata: false, keepCopyright: true },
          createdAt: new Date(now - 2000),
          leaseUntil: new Date(now - idleMs),
          stopRequested: cancel ? 'job_cancelled' : null,
        });
      }
    });
    const { accounts, close } = await openAccounts({ DATA_DIR: dataDir });
    for (const [name, { paid }] of Object.entries(left)) {
      if (paid) await accounts.ledger.charge({ accountId, ref: ids[name] ?? '', amount: IMAGES });
    }
    await close();

    again = await startServiceProcess({ DATA_DIR: dataDir });
    const api = clientOf(again, apiKey);
    const finished = await untilAllJobsEnd(api, uploaded.sessionId);
    const outcomes = Object.fromEntries(
      Object.entries(ids).map(([name, id]) => [name, finished.find(({ jobId }) => jobId === id)?.status]),
    );
    expect(outcomes).toEqual({
      unpaid: undefined,
      paid: 'completed',
      processing: 'completed',
      leased: 'completed',
      old: 'failed',
      cancelled: 'cancelled',
    });
    expect(await api.balance()).toBe(100 - 3 * IMAGES);
    expect(await auditOf({ DATA_DIR: dataDir })).toEqual({ ok: true, broken: [], pending: 0 });
    expect(await faultyFiles(dataDir)).toEqual([]);
  });

  it('a session that is deleted or expires while its files are served: the answer is whole, then it is gone', async () => {
    test = await startTestService({ DATA_DIR: dataDir });
    const { api } = test;
    for (const end of ['deleted', 'expired']) {
      const uploaded = await api.upload(['photos/photo-brushes.jpg']);
      const { last } = await api.run('export', uploaded, { format: 'png' });
      const variant = last.event === 'complete' ? last.data.results[0]?.variants[0] : undefined;
      const response = await api.request(variant?.url ?? '');
      const reader = (response.body as ReadableStream<Uint8Array>).getReader();
      let bytes = (await reader.read()).value?.length ?? 0;
      if (end === 'deleted') {
        expect((await api.request(`/v1/sessions/${uploaded.sessionId}`, { method: 'DELETE' })).status).toBe(204);
      } else {
        await expire(uploaded.sessionId);
        expect(await test.service.disposal.sweep()).toBe(1);
      }
      for (let part = await reader.read(); !part.done; part = await reader.read()) bytes += part.value.length;
      expect(bytes).toBe(variant?.size);
      expect((await api.request(variant?.url ?? '')).status).toBe(404);
      expect(await filesOf(test, uploaded.sessionId)).toEqual([]);
    }
  });
});

async function untilAllJobsEnd(api: ApiClient, sessionId: string): Promise<Job[]> {
  const read = async () => (await api.readJson<{ jobs: Job[] }>(`/v1/sessions/${sessionId}`)).jobs;
  await expect.poll(async () => (await read()).filter(({ finishedAt }) => finishedAt === null).length).toBe(0);
  return read();
}
