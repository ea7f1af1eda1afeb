import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import { startTestService } from '../support/service.ts';
import { photograph, type Rig, startRig } from './rig.ts';
import type { SiteUser } from './site/site-user.ts';

let rig: Rig;
let proxy: FaultProxy;
let admin: SiteUser;

beforeAll(async () => {
  rig = await startRig();
  proxy = await startFaultProxy(rig.service.url);
  admin = await rig.site.logIn();
  await rig.define({ IMAGEWRIGHT_URL: proxy.url });
}, 300_000);
afterEach(() => proxy.reset());
afterAll(async () => {
  await Promise.all([rig?.stop(), proxy?.close()]);
});

const optimize = (id: number, body: unknown = {}) => admin.answer('POST', `/attachments/${id}/optimize`, body);

/** Credits that something costs. */
async function priceOf(work: () => Promise<unknown>): Promise<number> {
  const before = await rig.account.api.balance();
  await work();
  return before - (await rig.account.api.balance());
}

const uploads = () => proxy.seen.filter(({ method, path }) => method === 'POST' && path === '/v1/sessions');
const json = (code: string) => ({ error: 'Not now', code });
const RESULT = { path: /^\/v1\/jobs\// };
const DOWNLOAD = { path: /\/download\?/ };

describe('an error that passes, after the export was paid for', { timeout: 90_000 }, () => {
  it.each([
    ['one request too many', 429, json('rate_limited'), RESULT, 0],
    ['a service that stops', 503, json('shutting_down'), DOWNLOAD, 1],
    ['a gateway’s own page', 502, undefined, DOWNLOAD, 0],
  ])('%s: the next try goes on with the same export', async (_, status, body, target, spared) => {
    const id = await admin.upload(`passing-${status}.jpg`, await photograph(900), 'image/jpeg');
    const price = await priceOf(async () => {
      for (let index = 0; index < spared; index += 1) proxy.inject({ kind: 'buffer' }, target);
      proxy.inject({ kind: 'answer', status, ...(body ? { json: body } : {}) }, target);
      const [refused, answer] = await optimize(id);
      expect([refused, answer.data?.noted]).toEqual([status, undefined]);
      expect((await optimize(id))[1]).toMatchObject({ status: 'optimized' });
    });
    expect(price).toBe(1);
    expect(uploads()).toHaveLength(1);
    // Nothing stays at the service once the image is done.
    expect(proxy.seen.filter(({ method }) => method === 'DELETE')).toHaveLength(1);
  });

  it('a result that the service has removed meanwhile does not stand in the way of a new one', async () => {
    const id = await admin.upload('removed.jpg', await photograph(901), 'image/jpeg');
    proxy.inject({ kind: 'answer', status: 404, json: json('file_not_found') }, DOWNLOAD);
    expect((await optimize(id))[0]).toBe(404);
    expect((await optimize(id))[1]).toMatchObject({ status: 'optimized' });
    expect(uploads()).toHaveLength(2);
  });
});

interface Preview {
  images: number;
  skipped: number;
  described: number;
  textCost: number;
  cost: number;
  sufficient: boolean;
}
const preview = (query = '') => admin.json<Preview>('GET', `/run/preview?${query}`);

describe('what would be paid for in vain', { timeout: 90_000 }, () => {
  it('a TIFF, for which WordPress has no sizes, is refused before it is sent', async () => {
    const { images } = await preview();
    const tiff = new Uint8Array(
      await sharp(await photograph(300))
        .tiff()
        .toBuffer(),
    );
    const id = await admin.upload('scan.tif', tiff, 'image/tiff');
    proxy.reset();
    expect(await optimize(id)).toMatchObject([422, { code: 'imagewright_not_local', data: { noted: true } }]);
    expect(proxy.seen).toEqual([]);
    expect(await preview()).toMatchObject({ images });
    expect(await preview(`ids[]=${id}`)).toMatchObject({ images: 0, skipped: 1, cost: 0 });
  });

  it('an image that gains nothing is paid for once: further runs name it, and other settings try anew', async () => {
    const tiny = new Uint8Array(
      await sharp(await photograph(700))
        .webp({ quality: 5 })
        .toBuffer(),
    );
    const id = await admin.upload('tiny.webp', tiny, 'image/webp');
    const settings = { format: 'webp', preset: 'maximum' };
    const query = `ids[]=${id}&format=webp&preset=`;
    expect(await preview(`${query}maximum`)).toMatchObject({ images: 1, cost: 1 });
    const run = async (options: object) => {
      const started = await admin.json<{ run: { id: string } }>('POST', '/run', { ids: [id], ...options });
      const [status, { code }] = await optimize(id, { ...options, run: started.run.id });
      const { run: ended } = await admin.json<{ run: { state: string; failed: { id: number }[] } }>('GET', '/run');
      return [status, code, ended.state, ended.failed.map((one) => one.id)];
    };
    const inVain = [409, 'imagewright_not_smaller', 'done', [id]];
    expect(await priceOf(async () => expect(await run(settings)).toEqual(inVain))).toBe(1);
    expect(await priceOf(async () => expect(await run(settings)).toEqual(inVain))).toBe(0);
    expect(await preview(`${query}maximum`)).toMatchObject({ images: 0, skipped: 1, cost: 0 });
    expect(await preview(`${query}high`)).toMatchObject({ images: 1, cost: 1 });
    expect(await priceOf(() => run({ format: 'webp', preset: 'very_high' }))).toBe(1);
  });
});

it('a run that describes images tells what that costs', { timeout: 90_000 }, async () => {
  const bytes = await photograph(500);
  const [plain, described] = [
    await admin.upload('plain.jpg', bytes, 'image/jpeg'),
    await admin.upload('described.jpg', bytes, 'image/jpeg'),
  ];
  await rig.site.php(
    'update_post_meta( $id, "_wp_attachment_image_alt", "Rocks" ); wp_update_post( array( "ID" => $id, "post_title" => "High up" ) );',
    { id: described },
  );
  const dear = await startTestService({ ANALYSIS_CREDITS: '1' });
  try {
    const { apiKey } = await dear.createAccount({ credits: 2 });
    await rig.site.define({ IMAGEWRIGHT_URL: dear.url, IMAGEWRIGHT_API_KEY: apiKey });
    const query = `ids[]=${plain}&ids[]=${described}&fillText=`;
    expect(await preview(`${query}false`)).toMatchObject({ described: 0, textCost: 0, cost: 2, sufficient: true });
    expect(await preview(`${query}true`)).toMatchObject({ described: 1, textCost: 1, cost: 3, sufficient: false });
  } finally {
    await rig.define({ IMAGEWRIGHT_URL: proxy.url });
    await dear.close();
  }
});
