import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type CmsHost, type ConnectOptions, HostError, type HostErrorCode } from '../../../plugin-bridge/host/index.ts';
import { type FaultProxy, startFaultProxy } from '../../support/fault-proxy.ts';
import type { TestAccount } from '../../support/service.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';
import { charged, connectShelf } from './connect-shelf.ts';
import { photographs } from './photographs.ts';
import { createShelf, createStorage, type Shelf } from './shelf.ts';

describe('results that a run has paid for', () => {
  let test: SharedService;
  let proxy: FaultProxy;
  let files: { name: string; bytes: Uint8Array }[];
  let account: TestAccount;

  beforeAll(async () => {
    test = await sharedService();
    proxy = await startFaultProxy(test.url);
    files = await photographs(4);
  });
  afterAll(async () => {
    await proxy?.close();
  });
  beforeEach(async () => {
    proxy.reset();
    account = await test.createAccount();
  });

  const connect = (host: CmsHost, options: ConnectOptions = {}) =>
    connectShelf({ url: proxy.url, account, host, options: { batchSize: 4, ...options } });
  const savedSession = (storage: ReturnType<typeof createStorage>, id: string): string =>
    JSON.parse(storage.getItem(`imagewright-run:${id}`) ?? 'null')?.element?.sessionId;
  const RESULT = /\/download\?/;

  /** Creates a shelf whose `replace` throws what `refuse` returns for a call. */
  function refusing(id: string, refuse: (image: string, call: number) => HostErrorCode | null): Shelf {
    const shelf = createShelf(files, { id });
    const { replace } = shelf;
    let calls = 0;
    shelf.replace = async (image, replacement, options) => {
      calls += 1;
      const code = refuse(image, calls);
      if (code) throw new HostError(code, `refused: ${code}`);
      return replace(image, replacement, options);
    };
    return shelf;
  }

  it.each<HostErrorCode>(['expired', 'no_space'])(
    'are kept if the host reports "%s", and the run stops',
    async (code) => {
      const shelf = refusing(`says ${code}`, (_, call) => (call === 2 ? code : null));
      const { connection } = await connect(shelf);
      const report = await connection.run([...shelf.images.keys()]);
      expect(report).toMatchObject({ phase: 'stopped', replaced: 1, failed: 0, reason: { code } });
      expect(connection.unfinished).toBe(3);
      expect(await connection.resume()).toMatchObject({ phase: 'done', replaced: 4, failed: 0, outcomes: [] });
      expect(await charged(account)).toBe(4);
    },
  );

  it('are kept for another page', async () => {
    const storage = createStorage();
    const shelf = refusing('another page', (_, call) => (call === 1 ? 'expired' : null));
    const first = await connect(shelf, { storage });
    await first.connection.run([...shelf.images.keys()]);
    first.element.close();
    const { connection } = await connect(shelf, { storage });
    expect(await connection.resume()).toMatchObject({ phase: 'done', replaced: 4 });
    expect(await charged(account)).toBe(4);
  });

  it('of one failing image are put off, and the other images are replaced', async () => {
    let broken = true;
    const shelf = refusing('one image', (image) => (broken && image === 'photo-0.jpg' ? 'failed' : null));
    const { connection } = await connect(shelf, { batchSize: 2 });
    const report = await connection.run([...shelf.images.keys()]);
    expect(report).toMatchObject({ phase: 'stopped', done: 3, replaced: 3, failed: 1 });
    expect(report.reason?.message).toBe('refused: failed');
    expect(report.outcomes).toMatchObject([{ id: 'photo-0.jpg', status: 'failed', retryable: true }]);
    expect(await connection.resume()).toMatchObject({ phase: 'stopped', replaced: 3, failed: 1 });
    broken = false;
    expect(await connection.resume()).toMatchObject({ phase: 'done', replaced: 4, failed: 0, outcomes: [] });
    expect(await charged(account)).toBe(4);
  });

  it('are kept if the network fails: the run stops at the second image', async () => {
    const shelf = createShelf(files, { id: 'network' });
    const { connection } = await connect(shelf);
    proxy.inject({ kind: 'answer', status: 502, html: '<h1>Bad gateway</h1>' }, { path: RESULT, times: 100 });
    const report = await connection.run([...shelf.images.keys()]);
    expect(report).toMatchObject({ phase: 'stopped', done: 0, replaced: 0 });
    expect(new Set(proxy.seen.filter(({ fault }) => fault).map(({ path }) => path)).size).toBe(2);
    expect(connection.unfinished).toBe(4);
    proxy.reset();
    expect(await connection.resume()).toMatchObject({ phase: 'done', replaced: 4, failed: 0 });
    expect(await charged(account)).toBe(4);
  });

  it('are dropped for a final error: a refusal, or a result the service no longer has', async () => {
    const shelf = refusing('final', (image) => (image === 'photo-1.jpg' ? 'changed' : null));
    const { connection } = await connect(shelf);
    const notFound = { error: 'Unknown file', code: 'file_not_found' };
    proxy.inject({ kind: 'answer', status: 404, json: notFound }, { path: RESULT });
    const report = await connection.run([...shelf.images.keys()]);
    expect(report).toMatchObject({ phase: 'done', replaced: 2, failed: 2, reason: null });
    expect(report.outcomes.map(({ id, code }) => [id, code])).toEqual([
      ['photo-0.jpg', 'not_exported'],
      ['photo-1.jpg', 'changed'],
    ]);
    expect(connection.unfinished).toBe(0);
  });

  it('are kept if a login expires while images are fetched', async () => {
    const shelf = createShelf(files, { id: 'fetching' });
    const { fetch } = shelf;
    let expired = true;
    shelf.fetch = async (id, options) => {
      if (expired && id === 'photo-2.jpg') throw new HostError('expired', 'Log in.');
      return fetch(id, options);
    };
    const { connection } = await connect(shelf, { batchSize: 2 });
    const report = await connection.run([...shelf.images.keys()]);
    expect(report).toMatchObject({ phase: 'stopped', replaced: 2, failed: 0, reason: { code: 'expired' } });
    expired = false;
    expect(await connection.resume()).toMatchObject({ phase: 'done', replaced: 4, failed: 0 });
    expect(await charged(account)).toBe(4);
  });

  describe('in a session that cannot be read at a resume', () => {
    /** Stops a run with four images exported and one replaced. Returns its storage. */
    async function stopped(id: string) {
      const storage = createStorage();
      const shelf = refusing(id, (_, call) => (call === 2 ? 'expired' : null));
      const { connection, element } = await connect(shelf, { storage });
      await connection.run([...shelf.images.keys()]);
      element.close();
      expect(await charged(account)).toBe(4);
      return { storage, shelf, session: savedSession(storage, id) };
    }
    const unavailable = { error: 'Overloaded', code: 'overloaded' };

    it.each([
      ['the session', /^\/v1\/sessions\/[^/]+$/],
      ['its export', /^\/v1\/jobs\//],
    ])('are not paid again: %s answers 503', async (what, path) => {
      const { storage, shelf, session } = await stopped(`503 of ${what}`);
      const { connection } = await connect(shelf, { storage });
      proxy.inject({ kind: 'answer', status: 503, json: unavailable }, { method: 'GET', path, times: 100 });
      for (let tries = 0; tries < 2; tries += 1) {
        await expect(connection.resume()).rejects.toMatchObject({ name: 'HostError', code: 'failed' });
        expect(savedSession(storage, shelf.id)).toBe(session);
        expect(connection.unfinished).toBe(3);
      }
      proxy.reset();
      expect(await connection.resume()).toMatchObject({ phase: 'done', replaced: 4, failed: 0 });
      expect(proxy.seen.filter(({ method, path }) => method === 'POST' && path.startsWith('/v1/sessions'))).toEqual([]);
      expect(await charged(account)).toBe(4);
    });

    it('are paid again if the service no longer has the session', async () => {
      const { storage, shelf, session } = await stopped('forgotten');
      await account.api.request(`/v1/sessions/${session}`, { method: 'DELETE' });
      const { connection } = await connect(shelf, { storage });
      expect(await connection.resume()).toMatchObject({ phase: 'done', replaced: 4, failed: 0 });
      expect(await charged(account)).toBe(7);
    });

    it('are kept while the element has other images', async () => {
      const { storage, shelf, session } = await stopped('other images');
      const { connection, element } = await connect(shelf, { storage });
      expect(await connection.add(['photo-3.jpg'])).toEqual([]);
      await expect(connection.resume()).rejects.toMatchObject({ code: 'locked' });
      expect(element.items).toHaveLength(1);
      expect(savedSession(storage, shelf.id)).toBe(session);
      for (const { id } of element.items) element.remove(id);
      expect(await connection.resume()).toMatchObject({ phase: 'done', replaced: 4 });
      expect(await charged(account)).toBe(4);
    });
  });
});
