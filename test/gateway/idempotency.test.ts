import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  createGateway,
  createSessionCookie,
  hashRequest,
  type IdempotentRequest,
  type Ticket,
} from '../../server/gateway/index.ts';
import { rejection, useAccounts } from '../accounts/accounts-fixture.ts';
import { PATIENCE_MS } from '../support/patience.ts';

const fixture = useAccounts();
const RESPONSE = {
  status: 201,
  headers: { Location: '/v1/sessions/1' },
  body: { sessionId: 'sess_1', list: [1, null] },
};

describe('Idempotency-Key', () => {
  let idempotency: ReturnType<typeof createGateway>['idempotency'];
  let request: IdempotentRequest;
  /** Time of the monotonic clock, in milliseconds. */
  let elapsedMs: number;

  /** The memory of a process of its own. */
  const newProcess = () =>
    createGateway({
      accounts: fixture.accounts,
      idempotencyRecords: fixture.repositories.idempotency,
      config: { ANALYSIS_CREDITS: 0 },
      browserSessions: fixture.signIn.browserSessions,
      shares: { check: async () => Promise.reject(new Error('no links here')) },
      cookie: createSessionCookie('secure'),
      now: () => new Date(fixture.clock.now),
      monotonicNow: () => elapsedMs,
    }).idempotency;

  beforeAll(() => {
    idempotency = newProcess();
  });
  beforeEach(() => {
    fixture.clock.now = new Date();
    elapsedMs = 0;
    request = { accountId: 'acct_a', key: randomUUID(), operation: 'export', requestHash: hashRequest({ a: 1 }) };
  });

  /** Sets the clock on the wall; no time passes. */
  const setClock = (seconds: number) => {
    fixture.clock.now = new Date(fixture.clock.now.getTime() + seconds * 1000);
  };
  const wait = (seconds: number) => {
    setClock(seconds);
    elapsedMs += seconds * 1000;
  };

  async function beginFresh(extra: Partial<IdempotentRequest> = {}): Promise<{ ticket: Ticket; jobId: string | null }> {
    const beginning = await idempotency.begin({ ...request, ...extra });
    if (beginning.outcome !== 'fresh') throw new Error(`expected fresh, but received ${beginning.outcome}`);
    return beginning;
  }

  test('20 requests at once: one does the work, the others hear that it runs', async () => {
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => idempotency.begin(request)));
    const begun = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value.outcome] : []));
    expect(begun).toEqual(['fresh']);
    for (const result of results) {
      if (result.status === 'rejected') {
        expect(result.reason).toMatchObject({ code: 'idempotency_in_progress', headers: { 'Retry-After': '2' } });
      }
    }
  });

  test('the stored answer is sent again, whole', async () => {
    const { ticket } = await beginFresh();
    await idempotency.complete(ticket, RESPONSE);
    expect(await idempotency.begin(request)).toEqual({ outcome: 'replay', response: RESPONSE });
    expect(await idempotency.begin(request)).toEqual({ outcome: 'replay', response: RESPONSE });
  });

  test.each([
    ['another body', { requestHash: hashRequest({ a: 2 }) }],
    ['another operation', { operation: 'sample' }],
  ])('%s under the same key is refused, running or done', async (_, other) => {
    const { ticket } = await beginFresh();
    expect(await rejection(idempotency.begin({ ...request, ...other }))).toMatchObject({
      code: 'idempotency_mismatch',
    });
    await idempotency.complete(ticket, RESPONSE);
    expect(await rejection(idempotency.begin({ ...request, ...other }))).toMatchObject({
      code: 'idempotency_mismatch',
    });
  });

  test('accounts do not share keys', async () => {
    await beginFresh();
    await beginFresh({ accountId: 'acct_b' });
  });

  test('an abandoned key begins anew, also with another body', async () => {
    const { ticket } = await beginFresh();
    await idempotency.abandon(ticket);
    await beginFresh({ requestHash: hashRequest({ a: 2 }) });
  });

  test.each([
    ['', 0],
    ['x'.repeat(256), 256],
  ])('a key of a wrong length is refused', async (key, length) => {
    expect(await rejection(idempotency.begin({ ...request, key }))).toMatchObject({
      code: 'invalid_idempotency_key',
      message: `expected 1 to 255 characters in Idempotency-Key, but received ${length}`,
    });
  });

  test('the key itself is not stored', async () => {
    const { ticket } = await beginFresh();
    expect(JSON.stringify(await fixture.repositories.idempotency.find(ticket.id))).not.toContain(request.key);
  });

  test('a released key goes on at once as the same work, and with nothing else', async () => {
    const first = await idempotency.begin(request);
    if (first.outcome !== 'fresh') throw new Error(`expected fresh, but received ${first.outcome}`);
    await idempotency.release(first.ticket);
    expect(await rejection(idempotency.begin({ ...request, requestHash: hashRequest('other') }))).toMatchObject({
      code: 'idempotency_mismatch',
    });
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => idempotency.begin(request)));
    const begun = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    expect(begun).toMatchObject([{ outcome: 'fresh', work: { ...first.work, isRepeated: true } }]);
    // An owner that has lost the record cannot change it.
    await idempotency.release(first.ticket);
    expect(await rejection(idempotency.begin(request))).toMatchObject({ code: 'idempotency_in_progress' });
    const other = await idempotency.begin({ ...request, key: randomUUID() });
    expect(other).not.toMatchObject({ work: { id: first.work.id } });
  });

  describe('of a plain answer whose process has died', () => {
    test('is taken over by another process 30 s after the last renewal', async () => {
      const { ticket } = await beginFresh();
      const next = newProcess();
      wait(29);
      await idempotency.renew();
      wait(29);
      expect(await rejection(next.begin(request))).toMatchObject({ code: 'idempotency_in_progress' });
      wait(1);
      expect(await next.begin(request)).toMatchObject({ outcome: 'fresh' });
      // A renewal by the former owner changes nothing.
      await idempotency.renew();
      await idempotency.complete(ticket, RESPONSE);
      wait(30);
      expect(await newProcess().begin(request)).toMatchObject({ outcome: 'fresh' });
    });

    test('is taken over by one request after 180 s in the same process', async () => {
      const dead = await beginFresh();
      wait(179);
      expect(await rejection(idempotency.begin(request))).toMatchObject({ code: 'idempotency_in_progress' });
      wait(1);
      const results = await Promise.allSettled(Array.from({ length: 20 }, () => idempotency.begin(request)));
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);

      await idempotency.complete(dead.ticket, RESPONSE);
      await idempotency.abandon(dead.ticket);
      expect(await rejection(idempotency.begin(request))).toMatchObject({ code: 'idempotency_in_progress' });
    });
  });

  describe('when the clock is set', () => {
    test.each([
      ['forwards', 3600],
      ['backwards', -3600],
    ])('%s, a request that is at it keeps its key, and no longer than it would have', async (_, seconds) => {
      await beginFresh();
      setClock(seconds);
      wait(179);
      expect(await rejection(idempotency.begin(request))).toMatchObject({ code: 'idempotency_in_progress' });
      wait(1);
      await beginFresh();
      expect(await rejection(idempotency.begin(request))).toMatchObject({ code: 'idempotency_in_progress' });
    });

    test('backwards, the key of a process that died does not stay taken until the clock has caught up', async () => {
      await beginFresh();
      setClock(-86_400);
      const next = newProcess();
      expect(await rejection(next.begin(request))).toMatchObject({ code: 'idempotency_in_progress' });
      wait(180);
      expect(await next.begin(request)).toMatchObject({ outcome: 'fresh' });
    });
  });

  describe('of a stream', () => {
    const there = async () => true;
    const absent = async () => false;

    test('a retry joins the job of the first request', async () => {
      expect(await beginFresh({ jobId: 'job_1', jobExists: absent })).toMatchObject({ jobId: 'job_1' });
      const retry = { ...request, jobId: 'job_2', jobExists: there };
      expect(await idempotency.begin(retry)).toEqual({ outcome: 'join', jobId: 'job_1' });
      wait(3600);
      expect(await idempotency.begin(retry)).toEqual({ outcome: 'join', jobId: 'job_1' });
    });

    test('a retry goes on with the same job id when the job was never made', async () => {
      await beginFresh({ jobId: 'job_1' });
      const retry = { ...request, jobId: 'job_2', jobExists: absent };
      wait(29);
      expect(await rejection(idempotency.begin(retry))).toMatchObject({ code: 'idempotency_in_progress' });
      wait(1);
      expect(await beginFresh(retry)).toMatchObject({ jobId: 'job_1' });
      expect(await rejection(idempotency.begin(retry))).toMatchObject({ code: 'idempotency_in_progress' });
    });
  });

  test('a stream whose job was never made is taken over by another process after 5 s, with the same job id', async () => {
    await beginFresh({ jobId: 'job_1' });
    const retry = { ...request, jobId: 'job_2', jobExists: async () => false };
    const next = newProcess();
    wait(4);
    expect(await rejection(next.begin(retry))).toMatchObject({ code: 'idempotency_in_progress' });
    wait(1);
    expect(await next.begin(retry)).toMatchObject({ outcome: 'fresh', jobId: 'job_1' });
  });

  describe('while the database is away', () => {
    const away = () => Object.assign(new Error('not primary'), { name: 'MongoServerError', code: 10107 });
    const records = () => fixture.repositories.idempotency;

    test('what is released can be repeated at once in the same process, and elsewhere when it is back', async () => {
      const { ticket } = await beginFresh();
      const release = vi.spyOn(records(), 'release').mockRejectedValueOnce(away()).mockRejectedValueOnce(away());
      onTestFinished(() => release.mockRestore());
      await idempotency.release(ticket);
      await expect.poll(() => newProcess().begin(request)).toMatchObject({ outcome: 'fresh' });
      expect(release.mock.calls.length).toBe(3);
    });

    test('the answer of work that is done is stored when it is back, so that the work is not done again', async () => {
      const { ticket } = await beginFresh();
      const complete = vi.spyOn(records(), 'complete').mockRejectedValueOnce(away()).mockRejectedValueOnce(away());
      onTestFinished(() => complete.mockRestore());
      await idempotency.complete(ticket, RESPONSE);
      expect(await newProcess().begin(request)).toEqual({ outcome: 'replay', response: RESPONSE });
    });
  });

  test('a key is forgotten after 24 h, before the database has removed it', async () => {
    const { ticket } = await beginFresh();
    await idempotency.complete(ticket, RESPONSE);
    wait(24 * 3600 - 1);
    expect(await idempotency.begin(request)).toMatchObject({ outcome: 'replay' });
    wait(1);
    await beginFresh({ requestHash: hashRequest('other') });
  });

  test('the database removes what has expired', async () => {
    fixture.clock.now = new Date(Date.now() - 24 * 3600 * 1000 - 1000);
    const { ticket } = await beginFresh();
    // A real server looks once a minute, the embedded store of these tests once a second.
    await expect
      .poll(() => fixture.repositories.idempotency.find(ticket.id), { timeout: PATIENCE_MS, interval: 250 })
      .toBeNull();
  });
});

describe('hashRequest', () => {
  test('does not depend on the order of fields, but on everything else', () => {
    const hash = hashRequest('export', { a: 1, b: { c: [1, 2], d: null } });
    expect(hashRequest('export', { b: { d: null, c: [1, 2] }, a: 1 })).toBe(hash);
    for (const other of [
      ['sample', { a: 1, b: { c: [1, 2], d: null } }],
      ['export', { a: 1, b: { c: [2, 1], d: null } }],
      ['export', { a: 1, b: { c: [1, 2] } }],
      ['export', { a: '1', b: { c: [1, 2], d: null } }],
    ]) {
      expect(hashRequest(...other)).not.toBe(hash);
    }
  });
});
