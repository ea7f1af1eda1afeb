import { describe, expect, it } from 'vitest';
import type { Balance, CreditCheck, UploadResult } from '#contract';
import { GOOD_ANSWER } from '../support/fake-vision-server.ts';
import { plainImages } from '../support/small-images.ts';
import { collect, newHold, useAnalyzingService } from './analyzing-service.ts';

const PRICE = 2;
const service = useAnalyzingService({ ANALYSIS_CREDITS: String(PRICE) });
const balance = async () => (await service.api.readJson<Balance>('/v1/credits/balance')).balance;

/** Uploads pictures that differ, and a function that uploads the same ones again. */
async function pictures(count: number) {
  const files = await plainImages(count, { width: 320, height: 240 });
  const named = files.map(({ bytes }, index) => ({ name: `IMG_000${index}.jpg`, bytes }));
  return { upload: () => service.api.upload(named) };
}

const told = ({ results }: { results: { aiStatus: unknown; fromCache: boolean; creditsCharged: number }[] }) =>
  results.map(({ aiStatus, fromCache, creditsCharged }) => ({ aiStatus, fromCache, creditsCharged }));
const ASKED = { aiStatus: 'completed', fromCache: false, creditsCharged: PRICE };
const KNOWN = { aiStatus: 'completed', fromCache: true, creditsCharged: 0 };

async function check(uploaded: UploadResult, options: object = {}): Promise<CreditCheck> {
  const json = {
    images: uploaded.images.map(({ id }) => id),
    operation: 'analyze',
    sessionId: uploaded.sessionId,
    options,
  };
  return service.api.readJson<CreditCheck>('/v1/credits/check', { method: 'POST', json });
}

describe('an answer without a text', () => {
  it('is asked for once more, and is no description: it costs nothing and is not kept', async () => {
    service.vision.mode = 'empty';
    const { upload } = await pictures(2);
    const uploaded = await upload();
    const before = service.vision.requests.length;
    const done = await service.analyze(uploaded);
    expect(service.vision.requests.length - before).toBe(4);
    expect(told(done)).toEqual(Array(2).fill({ aiStatus: 'failed', fromCache: false, creditsCharged: 0 }));
    for (const { metadata, aiReason } of done.results) {
      expect(aiReason).toBe('empty');
      expect(metadata).toMatchObject({ alt: null, needsReview: ['fallback'], aiReason: 'empty' });
    }
    expect(await balance()).toBe(25);
    service.vision.mode = 'good';
    expect(told(await service.analyze(uploaded))).toEqual([ASKED, ASKED]);
  });

  it('costs no credit in 100 tries', async () => {
    service.vision.mode = 'empty';
    const uploaded = await (await pictures(10)).upload();
    for (let round = 0; round < 10; round += 1) {
      const { results } = await service.analyze(uploaded);
      expect(results.filter(({ creditsCharged }) => creditsCharged > 0)).toEqual([]);
    }
    expect(await balance()).toBe(25);
  });

  it('is a description if the second answer has one', async () => {
    service.vision.mode = 'empty-once';
    const uploaded = await (await pictures(1)).upload();
    const { results } = await service.analyze(uploaded);
    expect(results[0]).toMatchObject({ ...ASKED, metadata: { alt: GOOD_ANSWER.alt } });
  });
});

describe('the same question again', () => {
  it('costs nothing and sends nothing, in any session and without any credits', async () => {
    const { upload } = await pictures(3);
    expect(told(await service.analyze(await upload()))).toEqual([ASKED, ASKED, ASKED]);
    const withdrawn = await balance();
    await service.test.service.accounts.ledger.charge({
      accountId: service.accountId,
      ref: 'spent',
      amount: withdrawn,
    });
    const again = await upload();
    expect(await check(again)).toMatchObject({ imageCount: 3, costPerImage: PRICE, cost: 0, sufficient: true });
    const before = service.vision.requests.length;
    const done = await service.analyze(again);
    expect(told(done)).toEqual([KNOWN, KNOWN, KNOWN]);
    expect(done).toMatchObject({ credits: { charged: 0, refunded: 0, balance: 0 } });
    expect(service.vision.requests.length).toBe(before);
  });

  it('is asked and costs with `overwrite`, and its answer takes the place of the first', async () => {
    const { upload } = await pictures(2);
    await service.analyze(await upload());
    service.vision.answer = { ...GOOD_ANSWER, alt: 'Another text' };
    const again = await upload();
    const overwrite = { options: { overwrite: true } };
    expect((await check(again, overwrite.options)).cost).toBe(2 * PRICE);
    expect(told(await service.analyze(again, overwrite))).toEqual([ASKED, ASKED]);
    expect(await balance()).toBe(25 - 4 * PRICE);
    const third = await service.analyze(await upload());
    expect(told(third)).toEqual([KNOWN, KNOWN]);
    expect(third.results[0]?.metadata?.alt).toBe('Another text');
  });

  it('costs once for equal pictures of one request, and for what is new in it', async () => {
    const { upload } = await pictures(1);
    const [file] = await plainImages(1, { width: 300, height: 200 });
    const bytes = file?.bytes ?? Buffer.alloc(0);
    await service.analyze(await upload());
    const known = (await plainImages(1, { width: 320, height: 240 }))[0]?.bytes ?? Buffer.alloc(0);
    const mixed = await service.api.upload([
      { name: 'a.jpg', bytes: known },
      { name: 'b.jpg', bytes },
      { name: 'c.jpg', bytes },
    ]);
    expect((await check(mixed)).cost).toBe(PRICE);
    const done = await service.analyze(mixed);
    expect(done).toMatchObject({ credits: { charged: PRICE, refunded: 0, balance: 25 - 2 * PRICE } });
    expect(done.results.map(({ creditsCharged }) => creditsCharged).sort()).toEqual([0, 0, PRICE]);
    expect(done.results[0]?.creditsCharged).toBe(0);
  });

  it('is shown in the receipt of the job as it was charged', async () => {
    const { upload } = await pictures(2);
    await service.analyze(await upload());
    const again = await upload();
    const events = await collect(await service.open(again));
    const { jobId } = (events.at(-1)?.data ?? {}) as unknown as { jobId: string };
    const job = await service.api.readJson<{ credits: object; results: { creditsCharged: number }[] }>(
      `/v1/jobs/${jobId}`,
    );
    expect(job.credits).toMatchObject({ charged: 0, refunded: 0 });
    expect(job.results.map(({ creditsCharged }) => creditsCharged)).toEqual([0, 0]);
  });
});

describe('an answer', () => {
  it('is paid once by an image that was edited meanwhile', async () => {
    const uploaded = await (await pictures(1)).upload();
    const { held, end } = newHold();
    service.vision.held = held;
    const before = service.vision.requests.length;
    const running = service.analyze(uploaded);
    await expect.poll(() => service.vision.requests.length).toBe(before + 1);
    const path = `/v1/sessions/${uploaded.sessionId}/images/${uploaded.images[0]?.id}`;
    await service.api.readJson(path, { method: 'PATCH', json: { metadata: { title: 'Mine' } } });
    end();
    expect(told(await running)).toEqual([ASKED]);
    expect(await balance()).toBe(25 - PRICE);
    expect(service.vision.requests.length).toBe(before + 1);
  });
});
