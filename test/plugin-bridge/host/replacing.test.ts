import { createHash, randomBytes } from 'node:crypto';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ImageResult } from '#contract';
import { HostError, sha256 } from '../../../plugin-bridge/host/index.ts';
import { digest } from '../../../plugin-bridge/host/sha256.ts';
import { createClient } from '../../../plugin-bridge/sdk/index.ts';
import type { TestAccount } from '../../support/service.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';
import { plainImage } from '../../support/small-images.ts';
import { charged, connectShelf } from './connect-shelf.ts';
import { photographs } from './photographs.ts';
import { createShelf, type Shelf } from './shelf.ts';

describe('replacing an image of a CMS', () => {
  let test: SharedService;
  let files: { name: string; bytes: Uint8Array }[];
  let account: TestAccount;

  beforeAll(async () => {
    test = await sharedService();
    files = await photographs(3);
    account = await test.createAccount({ credits: 100 });
  });

  /** Returns an element with exported images. */
  async function exported(shelf: Shelf, options = {}) {
    const { element, connection } = await connectShelf({ url: test.url, account, host: shelf, options });
    expect(await connection.add([...shelf.images.keys()])).toEqual([]);
    await element.upload();
    await element.export();
    return { element, connection };
  }

  it('happens on the element’s events, one image or all at once, and the element shows the outcome', async () => {
    const shelf = createShelf(files);
    const { element, connection } = await exported(shelf);
    await element.replace(element.items[0]?.id ?? '');
    expect(shelf.calls.replace).toEqual(['photo-0.jpg']);
    expect(element.items.map(({ replacement }) => replacement?.status)).toEqual(['replaced', undefined, undefined]);
    expect((await connection.replaceAll()).map(({ id, status }) => [id, status])).toEqual([
      ['photo-1.jpg', 'replaced'],
      ['photo-2.jpg', 'replaced'],
    ]);
    expect(await connection.replaceAll()).toEqual([]);
  });

  it('passes the texts with their sources, so that a CMS fills only permitted fields', async () => {
    const shelf = createShelf(files.slice(0, 1));
    const { element, connection } = await connectShelf({ url: test.url, account, host: shelf });
    await connection.add(['photo-0.jpg']);
    await element.upload();
    element.optimizer.setMetadata(element.items[0]?.id ?? '', 'alt', 'A stream between stones');
    await element.export();
    await connection.replaceAll();
    expect(shelf.images.get('photo-0.jpg')?.replacement?.metadata).toMatchObject({
      alt: 'A stream between stones',
      source: { alt: 'user' },
    });
  });

  it.each([
    ['a byte is another one', (bytes: Uint8Array) => bytes.with(bytes.length - 3, (bytes.at(-3) ?? 0) ^ 1)],
    ['it was cut', (bytes: Uint8Array) => bytes.slice(0, -200)],
    ['it is a proxy’s page', () => new TextEncoder().encode('<h1>502</h1>')],
  ])('fails if the download is damaged: %s', async (_, damage) => {
    const shelf = createShelf(files.slice(0, 1));
    const { element, connection } = await exported(shelf);
    const client = createClient({ endpoint: test.url, apiKey: account.apiKey });
    element.transport = {
      async downloadFile(namespace: string, filename: string) {
        const blob = await client.downloadFile(namespace, filename);
        return new Blob([damage(new Uint8Array(await blob.arrayBuffer())) as Uint8Array<ArrayBuffer>]);
      },
    };
    expect(await connection.replaceAll()).toMatchObject([{ status: 'failed', code: 'damaged', retryable: true }]);
    expect(shelf.calls.replace).toEqual([]);
    expect(element.items[0]?.replacement).toMatchObject({ status: 'failed' });
    element.transport = undefined;
    expect(await connection.replaceAll()).toMatchObject([{ status: 'replaced' }]);
  });

  it('fails if the verified bytes are no image', async () => {
    const shelf = createShelf(files.slice(0, 1));
    const decode = async () => Promise.reject(new Error('cannot decode'));
    const { connection } = await exported(shelf, { decode });
    expect(await connection.replaceAll()).toMatchObject([{ status: 'failed', code: 'damaged' }]);
    expect(shelf.calls.replace).toEqual([]);
  });

  it('never happens with a sample', async () => {
    const shelf = createShelf(files.slice(0, 1));
    const before = await charged(account);
    const { element, connection } = await connectShelf({ url: test.url, account, host: shelf });
    await connection.add(['photo-0.jpg']);
    await element.upload();
    await element.optimizer.sample();
    const [item] = element.items;
    expect(item?.sample?.variants[0]?.url).toContain('-sample/');
    await expect(element.replace(item?.id ?? '')).rejects.toThrow();
    expect(await connection.replaceAll()).toEqual([]);
    // Nor if a page passes it as if it were the result.
    const outcome = askToReplace(element, item?.sample as ImageResult);
    await expect(outcome).rejects.toMatchObject({ code: 'sample' });
    expect(shelf.calls.replace).toEqual([]);
    expect(await charged(account)).toBe(before);
  });

  function askToReplace(element: EventTarget, result: ImageResult): Promise<unknown> {
    const [full] = result.variants;
    return new Promise((resolve, reject) => {
      const detail = {
        id: 'an-item',
        imageId: result.imageId,
        clientRef: 'photo-0.jpg',
        variant: 'full',
        filename: full?.filename,
        url: full?.url,
        result,
        waitUntil: (promise: Promise<unknown>) => promise.then(resolve, reject),
      };
      element.dispatchEvent(new CustomEvent('io-replace', { detail }));
    });
  }

  it('does not happen with a larger file unless that is allowed', async () => {
    // A flat picture is smallest as PNG.
    const flat = await plainImage('flat.png', { width: 64, height: 64 });
    const shelf = createShelf([flat], { settings: () => ({ format: 'jpeg', preset: 'maximum' }) });
    const { connection } = await exported(shelf);
    expect(await connection.replaceAll()).toMatchObject([{ status: 'skipped', code: 'larger', retryable: false }]);
    expect(shelf.calls.replace).toEqual([]);
    const { connection: generous } = await exported(createShelf([flat], { settings: () => ({ format: 'jpeg' }) }), {
      allowLarger: true,
    });
    expect(await generous.replaceAll()).toMatchObject([{ status: 'replaced', savedBytes: expect.any(Number) }]);
  });

  it('calls `noGain` of the host for a result that saves nothing', async () => {
    const flat = await plainImage('flat.png', { width: 64, height: 64 });
    const reported: unknown[] = [];
    const shelf = createShelf([flat], {
      settings: () => ({ format: 'jpeg', preset: 'maximum' }),
      async noGain(id, { imageId, sessionId, variants }) {
        reported.push([id, imageId, sessionId, variants[0]?.sha256]);
        throw new Error('it could not be written down');
      },
    });
    const { element, connection } = await exported(shelf);
    expect(await connection.replaceAll()).toMatchObject([{ status: 'skipped', code: 'larger' }]);
    const { result } = element.items[0] ?? {};
    expect(reported).toEqual([['flat.png', result?.imageId, element.sessionId, result?.variants[0]?.sha256]]);
  });

  it('is skipped, and calls `noGain`, for an export with onlySmaller that delivered nothing', async () => {
    const flat = await plainImage('flat.png', { width: 64, height: 64 });
    const reported: unknown[] = [];
    const shelf = createShelf([flat], {
      settings: () => ({ format: 'jpeg', preset: 'maximum', onlySmaller: true }),
      noGain: async (id, { imageId, sessionId, variants }) => void reported.push([id, imageId, sessionId, variants]),
    });
    const before = await charged(account);
    const { element, connection } = await exported(shelf);
    expect(await connection.replaceAll()).toMatchObject([{ status: 'skipped', code: 'no_gain', retryable: false }]);
    expect(reported).toEqual([['flat.png', element.items[0]?.imageId, element.sessionId, []]]);
    expect(await charged(account)).toBe(before);
  });

  it('is paid for only if the host’s check passes', async () => {
    const shelf = createShelf(files.slice(0, 2), {
      async check(id) {
        if (id === 'photo-0.jpg') throw new HostError('changed', 'There is another photo-0.jpg now.');
      },
    });
    const before = await charged(account);
    const { element, connection } = await connectShelf({ url: test.url, account, host: shelf });
    expect(await connection.add(['photo-0.jpg'])).toMatchObject([{ status: 'failed', code: 'changed' }]);
    expect(element.items).toEqual([]);
    expect(await connection.run(['photo-0.jpg', 'photo-1.jpg'])).toMatchObject({
      replaced: 1,
      failed: 1,
      outcomes: [{ id: 'photo-0.jpg', code: 'changed', message: 'There is another photo-0.jpg now.' }],
    });
    expect(shelf.calls.fetch).toEqual(['photo-1.jpg']);
    expect((await charged(account)) - before).toBe(1);
  });

  it('is skipped if it saves nothing', async () => {
    const small = {
      name: 'small.png',
      bytes: new Uint8Array(
        await sharp(await bestOf())
          .png()
          .toBuffer(),
      ),
    };
    const shelf = createShelf([small], { settings: () => ({ format: 'original' }) });
    const { element, connection } = await exported(shelf);
    expect(element.items[0]?.result?.keptOriginal).toBe(true);
    expect(await connection.replaceAll()).toMatchObject([{ status: 'skipped', code: 'no_gain' }]);
  });

  async function bestOf(): Promise<Uint8Array> {
    return new Uint8Array(
      await sharp({ create: { width: 1, height: 1, channels: 3, background: '#fff' } })
        .png()
        .toBuffer(),
    );
  }

  it('is undone image by image; other images are unchanged, and each failure has a reason', async () => {
    const shelf = createShelf(files, {
      settings: () => ({ format: 'webp' }),
    });
    const { connection } = await exported(shelf);
    await connection.replaceAll();
    shelf.images.delete('photo-2.jpg');
    await connection.restore(['photo-1.jpg']);
    const outcomes = await connection.restore(['photo-0.jpg', 'photo-1.jpg', 'photo-2.jpg']);
    expect(outcomes.map(({ id, status, code }) => [id, status, code])).toEqual([
      ['photo-0.jpg', 'restored', null],
      ['photo-1.jpg', 'skipped', null],
      ['photo-2.jpg', 'failed', 'not_found'],
    ]);
  });

  it('ends with the connection', async () => {
    const shelf = createShelf(files.slice(0, 1));
    const { element, connection } = await exported(shelf);
    connection.disconnect();
    await element.replace(element.items[0]?.id ?? '').catch(() => {});
    expect(shelf.calls.replace).toEqual([]);
  });

  it('gives a host with `downloads` only addresses and checksums', async () => {
    const shelf = createShelf(files.slice(0, 1), {
      downloads: true,
      async replace(_, { variants }) {
        const [full] = variants;
        const answer = await account.api.request(full?.url ?? '');
        const bytes = new Uint8Array(await answer.arrayBuffer());
        expect(createHash('sha256').update(bytes).digest('hex')).toBe(full?.sha256);
        expect(bytes.length).toBe(full?.size);
        return { url: '/new' };
      },
    });
    const { element, connection } = await exported(shelf);
    element.transport = { downloadFile: () => Promise.reject(new Error('the page downloads nothing')) };
    expect(await connection.replaceAll()).toMatchObject([{ status: 'replaced', url: '/new' }]);
  });
});

describe('SHA-256 without the browser’s help', () => {
  it('equals that of Node for every length around a block, and for a large file', async () => {
    for (const length of [0, 1, 55, 56, 63, 64, 65, 119, 120, 128, 1_000_003]) {
      const bytes = new Uint8Array(randomBytes(length));
      const expected = createHash('sha256').update(bytes).digest('hex');
      expect(Buffer.from(digest(bytes)).toString('hex')).toBe(expected);
      expect(await sha256(new Blob([bytes]))).toBe(expected);
    }
  });
});
