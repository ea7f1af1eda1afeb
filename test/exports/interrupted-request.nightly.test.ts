import { afterAll, beforeAll, expect, it } from 'vitest';
import { exportRequestSchema } from '#contract';
import { createIdempotency } from '../../server/gateway/idempotency.ts';
import { hashRequest } from '../../server/gateway/index.ts';
import { newId } from '../../server/ids.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { plainImages } from '../support/small-images.ts';
import { storeJob } from '../support/stored-job.ts';

let test: TestService;
beforeAll(async () => {
  test = await startTestService({ LEASE_SECONDS: '3' });
});
afterAll(() => test?.close());

it('a request that died between its charge and its start is one charge and one job for its Idempotency-Key', async () => {
  const { api, accountId } = await test.createAccount();
  const uploaded = await api.upload(await plainImages(2));
  const { sessionId } = uploaded;
  const body = api.exportBody(uploaded, { format: 'webp' });
  const jobId = newId('job');
  const database = await test.openDatabase();
  const diedAt = Date.now() - 31_000;

  // Steps that the process had done when it died: claimed the key, written the job, taken the credits.
  await createIdempotency({
    records: database.idempotency,
    now: () => new Date(diedAt),
    monotonicNow: () => diedAt,
  }).begin({
    accountId,
    key: 'died',
    operation: 'export',
    requestHash: hashRequest([sessionId, exportRequestSchema.parse(body)]),
    jobId,
  });
  await storeJob(database, uploaded, {
    _id: jobId,
    accountId,
    state: 'created',
    settings: exportRequestSchema.parse(body).settings,
    createdAt: new Date(diedAt),
    leaseUntil: new Date(Date.now() + 600_000),
  });
  await test.service.accounts.ledger.charge({ accountId, ref: jobId, amount: 2 });

  const headers = { 'Idempotency-Key': 'died' };
  const retry = () => api.request(`/v1/sessions/${sessionId}/export`, { json: body, headers });
  const statuses: number[] = [];
  let jobs: (string | null)[] = [];
  for (let attempt = 0; attempt < 40 && jobs.length < 2; attempt += 1) {
    const response = await retry();
    statuses.push(response.status);
    if (response.status === 200) jobs = [...jobs, response.headers.get('X-Job-Id')];
    await response.text();
    // The lease ends behind the first answer, however long that took.
    if (attempt === 0) await database.jobs.renewLeases([jobId], 'a-server-that-died', new Date());
  }
  await database.close();
  expect(statuses[0]).toBe(409);
  expect(jobs).toEqual([jobId, jobId]);
  expect(await api.balance()).toBe(23);
  expect((await test.service.accounts.audit()).broken).toEqual([]);
});
