import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ErrorEvent, Job, UploadResult } from '#contract';
import { expectCleanBooks, filesOf, storedFiles, untilIdle } from '../support/aftermath.ts';
import { type ClientEvent, readEvents } from '../support/api-client.ts';
import { startTestService, type TestAccount, type TestService } from '../support/service.ts';
import { noiseImage, plainImages } from '../support/small-images.ts';

let test: TestService;
beforeAll(async () => {
  test = await startTestService();
});
afterAll(() => test.close());
afterEach(() => expectCleanBooks(test));

let seed = 5000;
function noise(count: number) {
  seed += 100;
  return Promise.all(Array.from({ length: count }, (_, index) => noiseImage(`n${index}.png`, { seed: seed + index })));
}

async function begin({ api }: TestAccount, uploaded: UploadResult, kind = 'export') {
  const path = `/v1/sessions/${uploaded.sessionId}/${kind}`;
  const response = await api.request(path, { json: api.exportBody(uploaded, { format: 'webp', preset: 'maximum' }) });
  return { response, status: response.status, jobId: response.headers.get('X-Job-Id') ?? '' };
}

async function readAll(response: Response): Promise<ClientEvent[]> {
  const events: ClientEvent[] = [];
  for await (const event of readEvents(response)) events.push(event);
  return events;
}

describe('cancelling a job', () => {
  it('ends its stream with job_cancelled, keeps what is done and gives back the rest', async () => {
    const account = await test.createAccount({ credits: 20 });
    const uploaded = await account.api.upload(await noise(12));
    const { response, jobId } = await begin(account, uploaded);
    const events: ClientEvent[] = [];
    let answer: Job | undefined;
    for await (const event of readEvents(response)) {
      events.push(event);
      if (event.event === 'progress' && event.data.step === 'done' && !answer) {
        answer = await account.api.readJson<Job>(`/v1/jobs/${jobId}/cancel`, { method: 'POST' });
      }
    }
    const last = events.at(-1)?.data as ErrorEvent;
    expect(last).toMatchObject({ code: 'job_cancelled', jobId, sessionId: uploaded.sessionId });
    expect(events.filter(({ event }) => event !== 'progress')).toHaveLength(1);
    const done = last.results?.filter(({ status }) => status === 'completed').length ?? 0;
    expect(done).toBeGreaterThan(0);
    expect(done).toBeLessThan(12);
    expect(last.credits).toEqual({ charged: 12, refunded: 12 - done, balance: 20 - done });
    expect(last.results).toHaveLength(12);
    expect(last.results?.filter(({ error }) => error?.code === 'job_cancelled')).toHaveLength(12 - done);
    expect(answer).toMatchObject({ jobId, status: 'cancelled', results: last.results, credits: last.credits });
    expect(await account.api.balance()).toBe(20 - done);
    for (const { variants } of last.results ?? []) {
      for (const { url } of variants) expect((await account.api.request(url)).status).toBe(200);
    }
  });

  it('that has ended is 409 and changes nothing, also the second time', async () => {
    const { api } = await test.createAccount();
    const { jobId } = await api.run('export', await api.upload(await plainImages(1)));
    const response = await api.request(`/v1/jobs/${jobId}/cancel`, { method: 'POST' });
    expect([response.status, await response.json()]).toMatchObject([
      409,
      { code: 'job_finished', status: 'completed' },
    ]);
    expect(await api.balance()).toBe(24);
  });

  it('twenty times at once refunds once', async () => {
    const account = await test.createAccount({ credits: 6 });
    const { response, jobId } = await begin(account, await account.api.upload(await noise(6)));
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => account.api.request(`/v1/jobs/${jobId}/cancel`, { method: 'POST' })),
    );
    expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true);
    const last = (await readAll(response)).at(-1)?.data as ErrorEvent;
    expect(last.code).toBe('job_cancelled');
    const done = last.results?.filter(({ status }) => status === 'completed').length ?? 0;
    expect(await account.api.balance()).toBe(6 - done);
  });
});

describe('deleting a session', () => {
  it('removes its files at once, and all of it is 404 from then on', async () => {
    const { api } = await test.createAccount();
    const uploaded = await api.upload(await plainImages(2));
    const { jobId } = await api.run('export', uploaded);
    await api.run('sample', uploaded);
    const path = `/v1/sessions/${uploaded.sessionId}`;
    await api.request(`${path}/images/${uploaded.images[0]?.id}/preview`);
    expect((await api.request(path, { method: 'DELETE' })).status).toBe(204);
    expect(await filesOf(test, uploaded.sessionId)).toEqual([]);
    expect(await filesOf(test, `${uploaded.sessionId}-sample`)).toEqual([]);
    const image = `${path}/images/${uploaded.images[0]?.id}`;
    const deletedPaths = [
      path,
      `${path}/download?filename=picture-0.webp`,
      `${path}-sample/download?filename=picture-0.webp`,
    ];
    for (const target of [...deletedPaths, `${image}/preview`, `/v1/jobs/${jobId}`, `/v1/jobs/${jobId}/events`]) {
      expect([target, (await api.request(target)).status]).toEqual([target, 404]);
    }
    expect((await api.request(path, { method: 'DELETE' })).status).toBe(404);
  });

  it('twice at once is one 204 and one 404', async () => {
    const { api } = await test.createAccount();
    const { sessionId } = await api.upload(await plainImages(1));
    const remove = () => api.request(`/v1/sessions/${sessionId}`, { method: 'DELETE' });
    const answers = await Promise.all([remove(), remove()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404]);
  });

  it('of another account is 404 and leaves it alone', async () => {
    const uploaded = await test.api.upload(await plainImages(1));
    const { api } = await test.createAccount();
    expect((await api.request(`/v1/sessions/${uploaded.sessionId}`, { method: 'DELETE' })).status).toBe(404);
    await expect(test.api.run('sample', uploaded)).resolves.toMatchObject({ last: { event: 'complete' } });
  });

  it('at 20 random moments of an export ends the stream, refunds the rest and leaves no file', async () => {
    for (let round = 0; round < 20; round += 1) {
      const account = await test.createAccount({ credits: 8 });
      const uploaded = await account.api.upload(await noise(4));
      const started = begin(account, uploaded, round % 4 === 3 ? 'sample' : 'export');
      await sleep(Math.random() * (round % 2 === 0 ? 25 : 250));
      const removed = account.api.request(`/v1/sessions/${uploaded.sessionId}`, { method: 'DELETE' });
      const { response, status } = await started;
      expect((await removed).status).toBe(204);
      const context = `round ${round}`;
      let done = 0;
      if (status === 200) {
        const events = await readAll(response);
        const last = events.at(-1);
        expect([context, last?.event === 'complete' || last?.event === 'error']).toEqual([context, true]);
        if (last?.event === 'error') expect([context, last.data.code]).toEqual([context, 'session_deleted']);
        const results = last?.event === 'progress' ? [] : (last?.data.results ?? []);
        done = round % 4 === 3 ? 0 : results.filter((result) => result.status === 'completed').length;
      } else {
        expect([context, status]).toEqual([context, 404]);
      }
      await untilIdle(test);
      expect([context, await account.api.balance()]).toEqual([context, 8 - done]);
      expect([context, (await storedFiles(test)).filter((file) => file.includes(uploaded.sessionId))]).toEqual([
        context,
        [],
      ]);
    }
  });

  it('at the very moment an export of it begins leaves no record of the job, and takes nothing', async () => {
    const database = await test.openDatabase();
    const [image] = await plainImages(1);
    if (!image) return;
    const account = await test.createAccount({ credits: 60 });
    for (let round = 0; round < 30; round += 1) {
      const uploaded = await account.api.upload([image]);
      const started = begin(account, uploaded);
      // From before its look-up to after its end, in steps of a few hundred microseconds.
      await sleep(round / 2);
      const removed = await account.api.request(`/v1/sessions/${uploaded.sessionId}`, { method: 'DELETE' });
      const { response, status } = await started;
      const last = status === 200 ? (await readAll(response)).at(-1)?.event : await response.text();
      expect([round, removed.status, last]).toEqual([
        round,
        204,
        expect.stringMatching(/^(complete|error)$|_not_found/),
      ]);
      await untilIdle(test);
      const { accountId } = account;
      expect(await database.jobs.findOfSession(accountId, uploaded.sessionId, 10)).toEqual([]);
      expect(await database.images.findOfSession(accountId, uploaded.sessionId)).toEqual([]);
      expect((await database.outputs.namesOf(uploaded.sessionId)).size).toBe(0);
      expect(await filesOf(test, uploaded.sessionId)).toEqual([]);
    }
    await database.close();
  });

  it('while files are added to it leaves none of them, and the upload is 404 or was in time', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { sessionId } = await test.api.upload(await plainImages(1));
      const adding = test.api.upload(await plainImages(5), { sessionId }).then(
        () => 'added',
        (error: Error) => error.message.slice(0, 3),
      );
      await sleep(Math.random() * 40);
      expect((await test.api.request(`/v1/sessions/${sessionId}`, { method: 'DELETE' })).status).toBe(204);
      expect(['added', '404']).toContain(await adding);
      expect((await storedFiles(test)).filter((file) => file.includes(sessionId))).toEqual([]);
    }
  });
});
