import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ErrorEvent, UploadResult } from '#contract';
import { expectCleanBooks, metric } from '../support/aftermath.ts';
import { type ApiClient, readEvents } from '../support/api-client.ts';
import { type SharedService, sharedService } from '../support/shared-service.ts';
import { plainImage, plainImages } from '../support/small-images.ts';

let test: SharedService;
beforeAll(async () => {
  test = await sharedService();
});
afterEach(() => expectCleanBooks(test));

async function ledgerOf(api: ApiClient): Promise<{ kind: string; delta: number; ref: string }[]> {
  const page = await api.readJson<{ transactions: { kind: string; delta: number; ref: string }[] }>(
    '/v1/credits/transactions?limit=200',
  );
  return page.transactions;
}

async function exportOnce(api: ApiClient, uploaded: UploadResult): Promise<number> {
  const response = await api.request(`/v1/sessions/${uploaded.sessionId}/export`, {
    json: api.exportBody(uploaded, {}),
  });
  await response.text();
  return response.status;
}

/** A PNG whose header is good and whose pixels are cut off: accepted when uploaded, fails when exported. */
async function damagedImage(name: string) {
  const { bytes } = await plainImage(name, { width: 400, height: 300 });
  return { name, bytes: bytes.subarray(0, bytes.length - 60) };
}

describe('the price of an export', () => {
  it('is 1 credit an image, whatever its variants, taken from the balance', async () => {
    const { api } = await test.createAccount({ credits: 10 });
    const uploaded = await api.upload(await plainImages(3, { width: 600 }));
    const { last } = await api.run('export', uploaded, { responsive: true, responsiveSizes: [100, 200, 300] });
    expect(last.data.credits).toEqual({ charged: 3, refunded: 0, balance: 7 });
    expect(last.data.results?.map(({ creditsCharged }) => creditsCharged)).toEqual([1, 1, 1]);
    expect(await api.balance()).toBe(7);
  });

  it('is nothing for a sample', async () => {
    const { api } = await test.createAccount({ credits: 0 });
    const { last } = await api.run('sample', await api.upload(await plainImages(5)));
    expect(last).toMatchObject({ event: 'complete', data: { credits: { charged: 0, refunded: 0, balance: 0 } } });
  });

  it('is taken before the work: a balance that is too low gets 402 with both numbers, and nothing happens', async () => {
    const { api } = await test.createAccount({ credits: 3 });
    const uploaded = await api.upload(await plainImages(12));
    const response = await api.request(`/v1/sessions/${uploaded.sessionId}/export`, {
      json: api.exportBody(uploaded, {}),
    });
    expect(response.status).toBe(402);
    expect(response.headers.get('Content-Type')).toMatch(/^application\/json/);
    expect(await response.json()).toEqual({
      error: 'Insufficient credits: balance is 3, 12 needed',
      code: 'insufficient_credits',
      requestId: response.headers.get('X-Request-Id'),
      balance: 3,
      required: 12,
      shortfall: 9,
    });
    expect(await api.balance()).toBe(3);
    expect(await api.readJson(`/v1/sessions/${uploaded.sessionId}`)).toMatchObject({ jobs: [] });
  });

  it('is given back for images that fail, once, when the job ends', async () => {
    const { api } = await test.createAccount({ credits: 10 });
    const good = await plainImage('good.png');
    const uploaded = await api.upload([good, await damagedImage('bad.png'), { ...good, name: 'twin.png' }]);
    const { last } = await api.run('export', uploaded);
    expect(last).toMatchObject({
      event: 'complete',
      data: { status: 'partial', credits: { charged: 3, refunded: 1, balance: 8 } },
    });
    expect(last.data.results?.map(({ creditsCharged }) => creditsCharged)).toEqual([1, 0, 1]);
    expect((await ledgerOf(api)).filter(({ kind }) => kind === 'refund')).toMatchObject([{ delta: 1 }]);
  });

  it('is nothing when no image could be exported: the stream ends with error and everything is given back', async () => {
    const { api } = await test.createAccount({ credits: 10 });
    const uploaded = await api.upload([await damagedImage('a.png'), await damagedImage('b.png')]);
    const { last } = await api.run('export', uploaded);
    expect(last).toMatchObject({
      event: 'error',
      data: { code: 'invalid_image', credits: { charged: 2, refunded: 2, balance: 10 } },
    });
    expect((last.data as ErrorEvent).results?.map(({ status }) => status)).toEqual(['failed', 'failed']);
    expect(await api.balance()).toBe(10);
  });

  it('shows in the metrics, as what was charged and what was given back', async () => {
    const credits = () =>
      Promise.all(['charged', 'refunded'].map((kind) => metric(test.url, 'imagewright_credits_total', `"${kind}"`)));
    const [charged = 0, refunded = 0] = await credits();
    const { api } = await test.createAccount({ credits: 10 });
    await api.run('export', await api.upload([await plainImage('good.png'), await damagedImage('bad.png')]));
    expect(await credits()).toEqual([charged + 2, refunded + 1]);
  });

  it('is taken twice for two equal requests without an Idempotency-Key; two on one credit are one 402', async () => {
    const { api } = await test.createAccount({ credits: 3 });
    const uploaded = await api.upload([await plainImage('one.png')]);
    expect(await exportOnce(api, uploaded)).toBe(200);
    expect(await exportOnce(api, uploaded)).toBe(200);
    expect(await api.balance()).toBe(1);
    const statuses = await Promise.all([exportOnce(api, uploaded), exportOnce(api, uploaded)]);
    expect(statuses.sort()).toEqual([200, 402]);
    expect(await api.balance()).toBe(0);
  });
});

describe('exports that race for the last credits', () => {
  it('of 200 with one image each on 25 credits, exactly 25 succeed and 175 get 402', async () => {
    // A plan whose streams are not the limit.
    const { api } = await test.createAccount({ credits: 25, plan: 'agency' });
    const uploaded = await api.upload([await plainImage('one.png')]);
    const answers = await Promise.all(
      Array.from({ length: 200 }, async () => {
        const response = await api.request(`/v1/sessions/${uploaded.sessionId}/export`, {
          json: api.exportBody(uploaded, {}),
        });
        if (response.status !== 200) return { status: response.status, text: await response.text() };
        const events = [];
        for await (const event of readEvents(response)) events.push(event.event);
        return { status: 200, text: events.at(-1) ?? '' };
      }),
    );
    const succeeded = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status === 402);
    expect([succeeded.length, refused.length]).toEqual([25, 175]);
    expect(succeeded.every(({ text }) => text === 'complete')).toBe(true);
    expect(refused.every(({ text }) => /balance is \d+, 1 needed/.test(text))).toBe(true);
    expect(await api.balance()).toBe(0);
    expect((await ledgerOf(api)).filter(({ kind }) => kind === 'charge')).toHaveLength(25);
  });

  it('of two with 20 images each on 25 credits, one wins whole and of the other nothing is taken', async () => {
    const { api } = await test.createAccount({ credits: 25 });
    const uploaded = await api.upload(await plainImages(20));
    const statuses = await Promise.all([exportOnce(api, uploaded), exportOnce(api, uploaded)]);
    expect(statuses.sort()).toEqual([200, 402]);
    expect(await api.balance()).toBe(5);
    expect((await ledgerOf(api)).filter(({ kind }) => kind !== 'signup')).toMatchObject([
      { kind: 'charge', delta: -20 },
    ]);
  });
});
