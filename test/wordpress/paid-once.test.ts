import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
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

type Answer = { status: string; code?: string; data?: { noted?: boolean } };

async function optimize(id: number, body: unknown = {}): Promise<[number, Answer]> {
  const response = await admin.call('POST', `/attachments/${id}/optimize`, body);
  return [response.status, (await response.json()) as Answer];
}

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
      for (let index = 0; index < spared; index += 1) proxy.inject({ kind: 'bytewise' }, target);
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
