import sharp from 'sharp';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { CmsHost, ConnectOptions } from '../../../plugin-bridge/host/index.ts';
import type { TestAccount } from '../../support/service.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';
import { charged, connectShelf } from './connect-shelf.ts';
import { HeadlessElement } from './headless-element.ts';
import { photographs } from './photographs.ts';
import { createShelf, createStorage, decode, type Shelf } from './shelf.ts';

describe('a run over the images of a CMS', () => {
  let test: SharedService;
  let files: { name: string; bytes: Uint8Array }[];

  beforeAll(async () => {
    test = await sharedService();
    files = await photographs(5);
  });

  const connect = (account: TestAccount, host: CmsHost, options: ConnectOptions = {}) =>
    connectShelf({ url: test.url, account, host, options });

  it('replaces every image by a verified file, in batches, for one credit each', async () => {
    const account = await test.createAccount();
    const shelf = createShelf(files, {
      settings: () => ({ format: 'webp', responsive: true, responsiveSizes: [120] }),
    });
    const { connection, refusals } = await connect(account, shelf);
    const report = await connection.run([...shelf.images.keys()]);
    expect(refusals).toEqual([]);
    expect(report.outcomes).toEqual([]);
    expect(report).toMatchObject({
      phase: 'done',
      done: 5,
      total: 5,
      replaced: 5,
      failed: 0,
      skipped: 0,
      reason: null,
    });
    expect(report.savedBytes).toBeGreaterThan(0);
    expect(await charged(account)).toBe(5);
    for (const { files: made, replacement, bytes } of shelf.images.values()) {
      const pixels = await Promise.all(made.map(async (file) => sharp(file.bytes).metadata()));
      expect(pixels.map(({ format, width }) => [format, width])).toEqual([
        ['webp', 240],
        ['webp', 120],
      ]);
      expect(made[0]?.bytes.length).toBeLessThan(bytes.length);
      expect(replacement?.variants.map(({ name, width }) => [name, width])).toEqual([
        ['full', 240],
        ['120w', 120],
      ]);
      expect(replacement?.settings).toMatchObject({ format: 'webp', responsive: true });
    }
    expect(connection.unfinished).toBe(0);
  });

  it('skips replaced images, and gives a reason for each failed one', async () => {
    const account = await test.createAccount();
    const shelf = createShelf([
      ...files.slice(0, 3),
      { name: 'text.jpg', bytes: new TextEncoder().encode('no image') },
    ]);
    const [first, second] = [...shelf.images.values()];
    if (first) first.status = 'replaced';
    if (second) second.status = 'unavailable';
    const { connection } = await connect(account, shelf);
    const report = await connection.run([...shelf.images.keys(), 'gone.jpg']);
    expect(report).toMatchObject({ phase: 'done', replaced: 1, skipped: 1, failed: 3 });
    const reasons = report.outcomes.map(({ id, status, code, message }) => [id, status, code, message]);
    expect(reasons).toEqual(
      expect.arrayContaining([
        ['photo-0.jpg', 'skipped', null, 'The image is already optimized.'],
        ['photo-1.jpg', 'failed', 'unsupported', 'It is a fax.'],
        ['gone.jpg', 'failed', 'not_found', 'The image is no longer there.'],
      ]),
    );
    expect(reasons.find(([id]) => id === 'text.jpg')?.[3]).toBeTruthy();
    expect(shelf.calls.fetch).not.toContain('photo-0.jpg');
    expect(await charged(account)).toBe(1);
  });

  it('stops when the credits run out, keeps the remaining images, and resumes later', async () => {
    const account = await test.createAccount({ credits: 3 });
    const shelf = createShelf(files);
    const { connection } = await connect(account, shelf);
    const report = await connection.run([...shelf.images.keys()]);
    expect(report.phase).toBe('stopped');
    expect(report.reason?.message).toBeTruthy();
    expect(report.replaced).toBe(2);
    expect(connection.unfinished).toBe(3);
    await test.service.accounts.ledger.grant({ accountId: account.accountId, ref: 'more', amount: 10 });
    expect(await connection.resume()).toMatchObject({ phase: 'done', replaced: 5, total: 5, failed: 0 });
    expect(await charged(account)).toBe(5);
  });

  /**
   * Runs until the second batch is exported and its first image is about to be replaced; then `last` does what the page still
   * does before its tab is closed. Returns the connection of the next page.
   */
  async function resumeAfterClosedTab(account: TestAccount, shelf: Shelf, last: CmsHost['replace']) {
    const storage = createStorage();
    let closed = () => {};
    const closing = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const closingShelf: CmsHost = {
      ...shelf,
      async replace(...call) {
        if (shelf.calls.replace.length < 2) return shelf.replace(...call);
        await last(...call);
        closed();
        return new Promise(() => {});
      },
    };
    const first = await connect(account, closingShelf, { storage });
    void first.connection.run([...shelf.images.keys()]);
    await closing;
    first.element.close();
    expect(await charged(account)).toBe(4);

    // Another page has its own modules.
    vi.resetModules();
    const page = await import('../../../plugin-bridge/host/index.ts');
    const element = new HeadlessElement({ endpoint: test.url, apiKey: account.apiKey });
    const connection = await page.connectHost(element, shelf, { decode, storage, batchSize: 2 });
    expect(connection.unfinished).toBe(3);
    return { connection, sessionId: first.element.sessionId };
  }

  // The first page never releases its lock, so each shelf has its own id.
  it('resumes after a closed tab without paying for exported images again', async () => {
    const account = await test.createAccount();
    const shelf = createShelf(files, { id: 'closed before replacing' });
    const { connection } = await resumeAfterClosedTab(account, shelf, async () => ({ url: null }));
    expect(await connection.resume()).toMatchObject({ phase: 'done', replaced: 5, failed: 0 });
    expect([...shelf.images.values()].map(({ status }) => status)).toEqual(Array(5).fill('replaced'));
    expect(await charged(account)).toBe(5);
  });

  it('counts an image as replaced if the tab was closed before its replacement was recorded', async () => {
    const account = await test.createAccount();
    const uninterrupted = createShelf(files);
    const expected = await (await connect(account, uninterrupted)).connection.run([...uninterrupted.images.keys()]);
    const paid = await test.createAccount();
    const shelf = createShelf(files, { id: 'closed before recording' });
    const { connection } = await resumeAfterClosedTab(paid, shelf, shelf.replace);
    const report = await connection.resume();
    expect(report).toMatchObject({ phase: 'done', replaced: 5, skipped: 0, failed: 0 });
    expect(report?.savedBytes).toBe(expected.savedBytes);
    expect(await charged(paid)).toBe(5);
  });

  it('completes a replacement that a closed tab has begun', async () => {
    const account = await test.createAccount();
    const shelf = createShelf(files, { id: 'closed while replacing' });
    const { connection } = await resumeAfterClosedTab(account, shelf, async (id) => {
      // Listed as replaced, but its files are not written.
      Object.assign(shelf.images.get(id) ?? {}, { status: 'replaced' });
      return { url: null };
    });
    expect(await connection.resume()).toMatchObject({ phase: 'done', replaced: 5, skipped: 0, failed: 0 });
    expect([...shelf.images.values()].map((image) => image.files.length)).toEqual(Array(5).fill(1));
    expect(await charged(account)).toBe(5);
  });

  it('counts an unrecorded replacement whose result the service no longer has', async () => {
    const account = await test.createAccount();
    const shelf = createShelf(files, { id: 'closed and deleted' });
    const { connection, sessionId } = await resumeAfterClosedTab(account, shelf, shelf.replace);
    await account.api.request(`/v1/sessions/${sessionId}`, { method: 'DELETE' });
    expect(await connection.resume()).toMatchObject({ phase: 'done', replaced: 5, skipped: 0, failed: 0 });
    expect(shelf.calls.replace.filter((id) => id === 'photo-2.jpg')).toHaveLength(1);
  });

  it('stops after the image in progress, and can be resumed', async () => {
    const account = await test.createAccount();
    const shelf = createShelf(files);
    let stopAt = 1;
    const { connection } = await connect(account, shelf, {
      onProgress: ({ replaced }) => {
        if (replaced === stopAt) connection.stop();
      },
    });
    const report = await connection.run([...shelf.images.keys()]);
    expect(report).toMatchObject({ phase: 'stopped', replaced: 1, failed: 0 });
    expect(report.reason?.code).toBe('stopped');
    expect(shelf.calls.replace).toEqual(['photo-0.jpg']);
    expect(connection.unfinished).toBe(4);
    stopAt = -1;
    expect(await connection.resume()).toMatchObject({ phase: 'done', replaced: 5, failed: 0 });
    expect(await charged(account)).toBe(5);
  });

  it('can be discarded', async () => {
    const account = await test.createAccount();
    const shelf = createShelf(files, {
      async fetch() {
        connection.stop();
        throw new Error('the connection is gone');
      },
    });
    const { connection } = await connect(account, shelf);
    await connection.run([...shelf.images.keys()]);
    expect(connection.unfinished).toBe(5);
    connection.forget();
    expect(connection.unfinished).toBe(0);
    expect(await connection.resume()).toBeNull();
  });

  it('excludes another run at the same time', async () => {
    const account = await test.createAccount();
    const shelf = createShelf(files.slice(0, 2));
    const { connection } = await connect(account, shelf);
    const { connection: other } = await connect(account, shelf);
    const run = connection.run([...shelf.images.keys()]);
    await expect(other.run([...shelf.images.keys()])).rejects.toMatchObject({ code: 'locked' });
    expect(await run).toMatchObject({ phase: 'done', replaced: 2 });
    expect(await charged(account)).toBe(2);
  });

  it('renews an expired login and continues', async () => {
    const account = await test.createAccount();
    let headers = { 'X-API-Key': account.apiKey };
    let renewals = 0;
    const shelf = createShelf(files.slice(0, 4), {
      headers: () => headers,
      async renew() {
        renewals += 1;
        headers = { 'X-API-Key': account.apiKey };
        return true;
      },
    });
    const { connection } = await connectShelf({
      url: test.url,
      host: shelf,
      // The nonce expires after each replacement.
      options: {
        onOutcome: () => {
          headers = { 'X-API-Key': 'expired' };
        },
      },
    });
    expect(await connection.run([...shelf.images.keys()])).toMatchObject({ phase: 'done', replaced: 4, failed: 0 });
    expect(renewals).toBeGreaterThanOrEqual(3);
    expect(await charged(account)).toBe(4);
  });

  it('stops if a login cannot be renewed, and can be resumed', async () => {
    const shelf = createShelf(files.slice(0, 2), { headers: () => ({}), renew: async () => false });
    const { connection } = await connectShelf({ url: test.url, host: shelf });
    expect(await connection.run([...shelf.images.keys()])).toMatchObject({ phase: 'stopped', replaced: 0, failed: 0 });
    expect(connection.unfinished).toBe(2);
  });
});
