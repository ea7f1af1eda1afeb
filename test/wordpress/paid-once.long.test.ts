import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type FakeVisionServer, startFakeVisionServer } from '../support/fake-vision-server.ts';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import { startTestService, type TestAccount, type TestService } from '../support/service.ts';
import { photograph, tinyPicture } from './rig.ts';
import { useRig } from './use-rig.ts';

const { rig, admin, post, exported } = useRig();
let proxy: FaultProxy;

beforeAll(async () => {
  proxy = await startFaultProxy(rig.service.url);
});
beforeEach(() => rig.define({ IMAGEWRIGHT_URL: proxy.url }));
afterEach(() => proxy.reset());
afterAll(() => proxy?.close());

const optimize = (id: number, body: unknown = {}) => post(`/attachments/${id}/optimize`, body);

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

describe('a temporary error after a paid export', () => {
  it.each([
    ['a rate limit', 429, json('rate_limited'), RESULT, 0],
    ['a service shutdown', 503, json('shutting_down'), DOWNLOAD, 1],
    ['a gateway error', 502, undefined, DOWNLOAD, 0],
  ])('%s: the next attempt resumes the same export', async (_, status, body, target, spared) => {
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
    // The session is deleted after the replacement.
    expect(proxy.seen.filter(({ method }) => method === 'DELETE')).toHaveLength(1);
  });

  it('a result that the service has removed is replaced by a new export', async () => {
    const id = await admin.upload('removed.jpg', await photograph(901), 'image/jpeg');
    proxy.inject({ kind: 'answer', status: 404, json: json('file_not_found') }, DOWNLOAD);
    expect((await optimize(id))[0]).toBe(404);
    expect((await optimize(id))[1]).toMatchObject({ status: 'optimized' });
    expect(uploads()).toHaveLength(2);
  });
});

describe('errors of the service', () => {
  it.each<[number, Record<string, unknown>, Record<string, string>]>([
    [413, { code: 'file_too_large', limit: 7 }, {}],
    [429, { code: 'rate_limited' }, { 'retry-after': '17' }],
    [500, { code: 'internal_error' }, {}],
    [503, { code: 'overloaded' }, { 'retry-after': '5' }],
  ])('%i reaches the browser unchanged, as JSON also where a stream was requested', async (status, body, headers) => {
    const id = await admin.upload(`refused-${status}.jpg`, await photograph(300), 'image/jpeg');
    const { sessionId } = await admin.json<{ sessionId: string }>('POST', `/attachments/${id}/attach`, {});
    for (const [method, path] of [
      ['GET', `/sessions/${sessionId}`],
      ['POST', `/sessions/${sessionId}/export`],
    ] as const) {
      proxy.inject({ kind: 'answer', status, json: { error: 'Not now', ...body }, headers }, { method });
      const answer = await admin.call(method, `/service/v1${path}`, method === 'POST' ? {} : undefined);
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([status, headers['retry-after'] ?? null]);
      expect(await answer.json()).toEqual({ error: 'Not now', ...body });
    }
  });
});

interface Preview {
  images: number;
  leftOut: { message: string; count: number; examples: { id: number; title: string }[] }[];
  described: number;
  textCost: number;
  cost: number;
  sufficient: boolean;
}
const preview = (query = '') => admin.json<Preview>('GET', `/run/preview?${query}`);

const IN_VAIN = { format: 'webp', preset: 'maximum' };
const inVain = (id: number) => `ids[]=${id}&format=webp&preset=maximum`;

/** Works through a run of one image. Returns its state, the images without a gain and the codes of failures. */
async function run(id: number, options: object) {
  await admin.json('POST', '/run', { ids: [id], ...options });
  await admin.json('POST', '/run/work');
  const { run: ended } = await admin.json<{ run: { state: string; noGain: number; failed: { code: string }[] } }>(
    'GET',
    '/run',
  );
  return [ended.state, ended.noGain, ended.failed.map(({ code }) => code)];
}

describe('an export without gain', () => {
  it('refuses an unsupported format before the upload, and a run over the library lists it', async () => {
    const { images, leftOut } = await preview();
    const source = sharp(await photograph(300));
    const id = await admin.upload('scan.tif', new Uint8Array(await source.tiff().toBuffer()), 'image/tiff');
    const other = await rig.site.php<number>(
      'return wp_insert_attachment( array( "post_title" => $title, "post_mime_type" => "image/bmp" ), "clip-art.bmp" );',
      { title: "Tom & Jerry's clip art" },
    );
    proxy.reset();
    const refused = [422, { code: 'imagewright_no_sizes' }];
    expect(await optimize(id)).toMatchObject([422, { code: 'imagewright_no_sizes', data: { noted: true } }]);
    expect(await post(`/attachments/${id}/attach`)).toMatchObject(refused);
    expect(proxy.seen).toEqual([]);
    const { items } = await admin.json<{ items: object[] }>('GET', `/attachments?ids[]=${id}`);
    expect(items).toMatchObject([{ obstacle: expect.stringContaining('TIFF') }]);
    expect(leftOut).toEqual([]);
    expect(await preview()).toMatchObject({
      images,
      leftOut: [
        { message: expect.stringContaining('TIFF'), count: 1, examples: [{ id, title: 'scan' }] },
        {
          message: expect.stringContaining('format'),
          count: 1,
          examples: [{ id: other, title: "Tom & Jerry's clip art" }],
        },
      ],
    });
    expect(await preview(`ids[]=${id}`)).toMatchObject({ images: 0, cost: 0, leftOut: [{ count: 1 }] });
  });

  it('is free: later runs list the image, and other settings export it again', async () => {
    const id = await admin.upload('tiny.webp', await tinyPicture(700), 'image/webp');
    const query = `ids[]=${id}&format=webp&preset=`;
    expect(await preview(inVain(id))).toMatchObject({ images: 1, cost: 1, leftOut: [] });
    expect(await priceOf(async () => expect(await run(id, IN_VAIN)).toEqual(['done', 1, []]))).toBe(0);
    expect(await priceOf(async () => expect(await run(id, IN_VAIN)).toEqual(['done', 0, []]))).toBe(0);
    expect(uploads()).toHaveLength(1);
    const leftOut = [{ message: expect.stringContaining('smaller'), count: 1, examples: [{ id, title: 'tiny' }] }];
    expect(await preview(inVain(id))).toMatchObject({ images: 0, cost: 0, leftOut });
    expect(await preview(`${query}high`)).toMatchObject({ images: 1, cost: 1 });
    expect(await priceOf(() => run(id, { format: 'webp', preset: 'very_high' }))).toBe(0);
    expect(uploads()).toHaveLength(2);
    expect(proxy.seen.filter(({ method }) => method === 'DELETE')).toHaveLength(2);
  });

  it('does not export a file that was replaced during its upload; the next attempt sends the new file', async () => {
    const id = await admin.upload('meanwhile.jpg', await photograph(640), 'image/jpeg');
    await rig.define({ IMAGEWRIGHT_URL: proxy.url, IMAGEWRIGHT_TEST_MEANWHILE: id });
    const changed = ['done', 0, ['imagewright_source_changed']];
    expect(await priceOf(async () => expect(await run(id, {})).toEqual(changed))).toBe(0);
    await rig.define({ IMAGEWRIGHT_URL: proxy.url });
    expect(await priceOf(async () => expect(await run(id, {})).toEqual(['done', 0, []]))).toBe(1);
  });

  it('leaves an image out of runs after the widget has shown that it does not become smaller', async () => {
    const id = await admin.upload('tiny-in-widget.webp', await tinyPicture(701), 'image/webp');
    const made = await exported(id, 'export', IN_VAIN);
    expect(await post(`/attachments/${id}/replace`, made)).toMatchObject([409, { code: 'imagewright_not_smaller' }]);
    expect(await preview(inVain(id))).toMatchObject({ images: 0, cost: 0, leftOut: [{ count: 1 }] });
    expect(await priceOf(() => run(id, IN_VAIN))).toBe(0);
    // Accepting the larger file uses the widget’s result and keeps its session.
    const anyway = { ...IN_VAIN, allowLarger: true };
    expect(await priceOf(async () => expect((await optimize(id, anyway))[1].status).toBe('optimized'))).toBe(0);
    expect(proxy.seen.filter(({ method }) => method === 'DELETE')).toEqual([]);
  });

  it('costs a credit if the user accepts the larger file', async () => {
    const id = await admin.upload('tiny-but-wanted.webp', await tinyPicture(702), 'image/webp');
    const price = await priceOf(async () => {
      const offer = { data: { details: { needs: 'allowLarger', paid: false } } };
      expect(await optimize(id, IN_VAIN)).toMatchObject([409, offer]);
      expect(await optimize(id, IN_VAIN)).toMatchObject([409, offer]);
      const [status, done] = await optimize(id, { ...IN_VAIN, allowLarger: true });
      expect([status, done.status]).toEqual([200, 'optimized']);
    });
    expect(price).toBe(1);
    expect(uploads()).toHaveLength(2);
    expect(proxy.seen.filter(({ method }) => method === 'DELETE')).toHaveLength(2);
  });
});

describe('descriptions that cost credits', () => {
  let vision: FakeVisionServer;
  let dear: TestService;
  let account: TestAccount;
  beforeAll(async () => {
    vision = await startFakeVisionServer();
    const model = { AI_PROVIDER: 'openai-compatible', AI_BASE_URL: vision.url, AI_MODEL: 'fake', AI_CANARY: 'off' };
    dear = await startTestService({ ...model, ANALYSIS_CREDITS: '1' });
    account = await dear.createAccount({ credits: 2 });
  });
  beforeEach(() => rig.site.define({ IMAGEWRIGHT_URL: dear.url, IMAGEWRIGHT_API_KEY: account.apiKey }));
  afterAll(async () => {
    await dear?.close();
    await vision?.close();
  });

  it('are included in the cost that a run shows', async () => {
    const bytes = await photograph(500);
    const [plain, described] = [
      await admin.upload('plain.jpg', bytes, 'image/jpeg'),
      await admin.upload('described.jpg', bytes, 'image/jpeg'),
    ];
    await rig.site.php(
      'update_post_meta( $id, "_wp_attachment_image_alt", "Rocks" ); wp_update_post( array( "ID" => $id, "post_title" => "High up" ) );',
      { id: described },
    );
    const query = `ids[]=${plain}&ids[]=${described}&fillText=`;
    expect(await preview(`${query}false`)).toMatchObject({ described: 0, textCost: 0, cost: 2, sufficient: true });
    expect(await preview(`${query}true`)).toMatchObject({ described: 1, textCost: 1, cost: 3, sufficient: false });
  });

  it('are made only for images that become smaller', async () => {
    const { api, apiKey } = await dear.createAccount({ credits: 10 });
    await rig.site.define({ IMAGEWRIGHT_URL: dear.url, IMAGEWRIGHT_API_KEY: apiKey });
    const id = await admin.upload('tiny-untold.webp', await tinyPicture(704), 'image/webp');
    expect((await optimize(id, { ...IN_VAIN, fillText: true }))[1].code).toBe('imagewright_not_smaller');
    expect(await api.balance()).toBe(10);
    const gains = await admin.upload('untold.jpg', await photograph(600), 'image/jpeg');
    expect((await optimize(gains, { fillText: true }))[0]).toBe(200);
    expect(await api.balance()).toBe(8);
    // An accepted larger file is described too.
    expect((await optimize(id, { ...IN_VAIN, fillText: true, allowLarger: true }))[0]).toBe(200);
    expect(await api.balance()).toBe(6);
  });

  it('do not discard the paid export when credits are missing', async () => {
    const { api, apiKey, accountId } = await dear.createAccount({ credits: 1 });
    await rig.site.define({ IMAGEWRIGHT_URL: dear.url, IMAGEWRIGHT_API_KEY: apiKey });
    const id = await admin.upload('poor.jpg', await photograph(610), 'image/jpeg');
    expect(await optimize(id, { fillText: true })).toMatchObject([402, { code: 'insufficient_credits' }]);
    expect(await rig.attachment(id)).toMatchObject({ mime: 'image/jpeg', state: '' });
    await dear.service.accounts.ledger.grant({ accountId, ref: 'more', amount: 1 });
    expect((await optimize(id, { fillText: true }))[0]).toBe(200);
    expect(await api.balance()).toBe(0);
  });
});
