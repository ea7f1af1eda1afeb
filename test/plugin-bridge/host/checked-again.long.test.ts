import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type CmsHost, type HostCheck, HostError } from '../../../plugin-bridge/host/index.ts';
import { startTestService, type TestAccount, type TestService } from '../../support/service.ts';
import { charged, connectShelf } from './connect-shelf.ts';
import { photographs } from './photographs.ts';
import { createShelf, createStorage } from './shelf.ts';

const ANALYSIS_CREDITS = 3;

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe('images that a host checks again before they are paid for', () => {
  let test: TestService;
  let files: { name: string; bytes: Uint8Array }[];
  let account: TestAccount;

  beforeAll(async () => {
    test = await startTestService({ ANALYSIS_CREDITS: String(ANALYSIS_CREDITS) });
    files = await photographs(5);
  });
  afterAll(() => test?.close());
  beforeEach(async () => {
    account = await test.createAccount({ credits: 100 });
  });

  /** Creates a shelf of three files that compares images by their bytes, as a CMS does. */
  function changingShelf(own: Partial<CmsHost> = {}) {
    const asked: [id: string, uploaded: HostCheck['uploaded']][] = [];
    const shelf = createShelf(files.slice(0, 3), {
      async check(id, { uploaded } = {}) {
        asked.push([id, uploaded]);
        const bytes = shelf.images.get(id)?.bytes ?? new Uint8Array();
        const isSame = uploaded?.size === bytes.byteLength && uploaded.sha256 === sha256(bytes);
        if (uploaded && !isSame) throw new HostError('changed', `Somebody changed ${id}.`);
      },
      ...own,
    });
    const change = (id: string) => Object.assign(shelf.images.get(id) ?? {}, { bytes: files.at(-1)?.bytes });
    return { shelf, change, asked };
  }

  const connect = (host: CmsHost, options = {}) =>
    connectShelf({ url: test.url, account, host, options: { batchSize: 3, ...options } });

  it('are compared with the files in use that the check returns, if only smaller ones are wanted', async () => {
    const inUse = new Map([
      ['photo-0.jpg', [{ name: 'full', bytes: 1 }]],
      ['photo-1.jpg', [{ name: 'full', bytes: 10_000_000 }]],
    ]);
    const check = async (id: string) => ({ replaces: inUse.get(id) });
    for (const [onlySmaller, cost] of [
      [true, 2],
      [false, 3],
    ] as const) {
      const before = await charged(account);
      const { shelf } = changingShelf({ check, settings: () => ({ onlySmaller }) });
      const { element, connection } = await connect(shelf);
      await connection.add([...shelf.images.keys()]);
      await element.upload();
      await element.export();
      const counts = element.items.map(({ result }) => result?.variants.length);
      expect([counts, (await charged(account)) - before]).toEqual([onlySmaller ? [0, 1, 1] : [1, 1, 1], cost]);
    }
  });

  it('are left out with the host’s reason if they have changed, and can be added again', async () => {
    const { shelf, change, asked } = changingShelf();
    const { element, connection } = await connect(shelf);
    const ids = [...shelf.images.keys()];
    await connection.add(ids);
    await element.upload();
    change('photo-1.jpg');
    await element.export();
    expect(asked.slice(-3)).toMatchObject(ids.map((id) => [id, { width: 240, height: 180, format: 'jpeg' }]));
    expect(await charged(account)).toBe(2);
    const stand = () => element.items.map(({ name, status, error }) => [name, status, error?.message]);
    expect(stand()).toEqual([
      ['photo-0.jpg', 'done', undefined],
      ['photo-1.jpg', 'failed', 'Somebody changed photo-1.jpg.'],
      ['photo-2.jpg', 'done', undefined],
    ]);
    // Retrying the same upload costs nothing either.
    await element.export();
    expect(await charged(account)).toBe(2);

    expect(await connection.add(ids)).toEqual([]);
    expect(element.items.map(({ name, result }) => [name, result !== null])).toEqual([
      ['photo-0.jpg', true],
      ['photo-2.jpg', true],
      ['photo-1.jpg', false],
    ]);
    await element.upload();
    await element.export();
    expect(await connection.replaceAll()).toMatchObject(ids.map(() => ({ status: 'replaced' })));
    expect(shelf.images.get('photo-1.jpg')?.replacement?.original.size).toBe(files.at(-1)?.bytes.byteLength);
    expect(await charged(account)).toBe(3);
  });

  it('are left out if the new file has the same size, also after a reload', async () => {
    const { shelf } = changingShelf();
    const storage = createStorage();
    const first = await connect(shelf, { storage });
    await first.connection.add([...shelf.images.keys()]);
    await first.element.upload();
    const changed = shelf.images.get('photo-1.jpg');
    const bytes = Uint8Array.from(changed?.bytes ?? []);
    bytes.set([0], bytes.length - 40);
    Object.assign(changed ?? {}, { bytes });

    const { element } = await connect(shelf, { storage });
    await element.restore(first.element.getState());
    await element.export();
    expect(element.items.map(({ name, status }) => [name, status])).toEqual([
      ['photo-0.jpg', 'done'],
      ['photo-1.jpg', 'failed'],
      ['photo-2.jpg', 'done'],
    ]);
    expect(await charged(account)).toBe(2);
  });

  it('cause no request if all of them have changed', async () => {
    const { shelf, change } = changingShelf();
    const { element, connection } = await connect(shelf);
    await connection.add([...shelf.images.keys()]);
    await element.upload();
    for (const id of shelf.images.keys()) change(id);
    await element.export();
    expect(element.items.map(({ status }) => status)).toEqual(['failed', 'failed', 'failed']);
    const { jobs } = await account.api.readJson<{ jobs: object[] }>(`/v1/sessions/${element.optimizer.sessionId}`);
    expect(jobs).toEqual([]);
    expect(element.state).not.toBe('exporting');
  });

  it('are left out of a run, which continues with the others and reports them', async () => {
    const { shelf, change } = changingShelf();
    const { element, connection } = await connect(shelf, { storage: createStorage() });
    element.addEventListener('io-upload', () => change('photo-2.jpg'));
    const report = await connection.run([...shelf.images.keys()]);
    expect(report).toMatchObject({ phase: 'done', replaced: 2, failed: 1, reason: null });
    expect(report.outcomes).toMatchObject([
      { id: 'photo-2.jpg', code: 'changed', message: 'Somebody changed photo-2.jpg.', retryable: false },
    ]);
    expect(await charged(account)).toBe(2);
    expect(element.items).toEqual([]);
  });

  it('are exported if the check fails temporarily: the result is kept for the image', async () => {
    const { shelf } = changingShelf({
      async check(_, { uploaded } = {}) {
        if (uploaded) throw new HostError('locked', 'Somebody is editing it.');
      },
    });
    const { connection } = await connect(shelf, { storage: createStorage() });
    expect(await connection.run([...shelf.images.keys()])).toMatchObject({ phase: 'done', replaced: 3 });
  });

  it('are not paid for if the user cancels during the check', async () => {
    let answer = () => {};
    const thinking = new Promise<void>((resolve) => {
      answer = resolve;
    });
    let begun = () => {};
    const hasBegun = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const { shelf } = changingShelf({
      async check(_, { uploaded } = {}) {
        if (!uploaded) return;
        begun();
        await thinking;
      },
    });
    const { element, connection } = await connect(shelf);
    await connection.add([...shelf.images.keys()]);
    await element.upload();
    const exporting = element.export();
    await hasBegun;
    element.cancel();
    answer();
    await exporting;
    expect(await charged(account)).toBe(0);
    expect(element.items.map(({ status, error }) => [status, error])).toEqual(Array(3).fill(['ready', null]));
    await element.export();
    expect(await charged(account)).toBe(3);
  });

  it('are left out of an analysis that has a price', async () => {
    const { shelf, change } = changingShelf();
    const { element, connection } = await connect(shelf);
    await connection.add([...shelf.images.keys()]);
    await element.upload();
    change('photo-0.jpg');
    await element.optimizer.analyze();
    expect(element.items.map(({ analyzed, error }) => [analyzed, error?.message])).toEqual([
      [false, 'Somebody changed photo-0.jpg.'],
      [true, undefined],
      [true, undefined],
    ]);
    expect(await charged(account)).toBe(2 * ANALYSIS_CREDITS);
  });

  it('are not checked for an analysis that costs nothing', async () => {
    const free = await startTestService();
    try {
      const { shelf, change, asked } = changingShelf();
      const { element, connection } = await connectShelf({
        url: free.url,
        account: await free.createAccount(),
        host: shelf,
      });
      await connection.add([...shelf.images.keys()]);
      await element.upload();
      change('photo-0.jpg');
      await element.optimizer.analyze();
      expect(element.items.map(({ analyzed }) => analyzed)).toEqual([true, true, true]);
      expect(asked.filter(([, uploaded]) => uploaded)).toEqual([]);
    } finally {
      await free.close();
    }
  });

  it('are checked by the connected host, and by no earlier one', async () => {
    const first = changingShelf();
    const { element, connection } = await connect(first.shelf);
    connection.disconnect();
    expect(element.transport).toBeUndefined();
  });
});
