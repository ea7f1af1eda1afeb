import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { UploadResult } from '#contract';
import { callWithToken, createTokenOf, outcomeOf } from '../http/token-calls.ts';
import { untilIdle } from '../support/aftermath.ts';
import { startTestService, type TestAccount, type TestService } from '../support/service.ts';
import { noiseImage } from '../support/small-images.ts';

const SAMPLES = 8;

let test: TestService;
beforeAll(async () => {
  const PLANS = JSON.stringify({ free: { keys: 1, samplesPerDay: SAMPLES, analysesPerDay: 50 } });
  test = await startTestService({ PLANS, WORKERS: '1' });
});
afterAll(() => test.close());

let seed = 9000;
const photographs = (count: number) =>
  Promise.all(
    Array.from({ length: count }, (_, index) => {
      seed += 1;
      return noiseImage(`n${index}.png`, { width: 64, height: 48, seed });
    }),
  );
const usedOf = async ({ api }: TestAccount) =>
  (await api.readJson<{ limits: { samplesPerDay: { used: number } } }>('/v1/credits/balance')).limits.samplesPerDay
    .used;

/** Body of an export that says of each image that a file of one byte is in use: nothing is smaller. */
function withoutGain({ images }: UploadResult) {
  return {
    images: images.map(({ id }) => ({ id, replaces: [{ name: 'full', bytes: 1 }] })),
    settings: { onlySmaller: true },
  };
}

async function exportWithoutGain({ api }: TestAccount, uploaded: UploadResult): Promise<void> {
  const response = await api.request(`/v1/sessions/${uploaded.sessionId}/export`, { json: withoutGain(uploaded) });
  if (!response.ok) throw new Error(await response.text());
  await response.text();
}

describe('what was refunded is not delivered later without being counted', () => {
  it('a sample of an image that was refunded for want of a gain is one of the day', async () => {
    const attacker = await test.createAccount({ credits: 25 });
    const uploaded = await attacker.api.upload(await photographs(3));
    await exportWithoutGain(attacker, uploaded);
    expect(await attacker.api.balance()).toBe(25);
    const before = await usedOf(attacker);
    await attacker.api.run('sample', uploaded);
    expect((await usedOf(attacker)) - before).toBe(3);
    // The same sample again was counted already.
    await attacker.api.run('sample', uploaded);
    expect((await usedOf(attacker)) - before).toBe(3);
  });

  it('no more whole files than the samples of the day are had for nothing', async () => {
    const attacker = await test.createAccount({ credits: 25 });
    const uploaded = await Promise.all([1, 2, 3, 4, 5].map(async () => attacker.api.upload(await photographs(5))));
    let files = 0;
    for (const session of uploaded) {
      await exportWithoutGain(attacker, session).catch(() => {});
      const sampled = await attacker.api.run('sample', session).catch(() => null);
      files += sampled?.last.event === 'complete' ? sampled.last.data.summary.completed : 0;
    }
    expect(files).toBeLessThanOrEqual(SAMPLES);
    expect(await attacker.api.balance()).toBe(25);
  });

  it('a sample of an image that was encoded for a cancelled export is one of the day', async () => {
    const attacker = await test.createAccount({ credits: 25 });
    const uploaded = await attacker.api.upload(await photographs(5));
    // Cancelled when an image is encoded and not yet published.
    const { processor } = test.service;
    const { render } = processor;
    let begun = (_jobId: string) => {};
    const id = new Promise<string>((resolve) => {
      begun = resolve;
    });
    let cancelling: Promise<Response> | undefined;
    processor.render = async (order, options) => {
      const rendered = await render(order, options);
      cancelling ??= id.then((jobId) => attacker.api.request(`/v1/jobs/${jobId}/cancel`, { method: 'POST' }));
      if (!options?.signal?.aborted) await once(options?.signal as AbortSignal, 'abort');
      return rendered;
    };
    const started = await attacker.api.request(`/v1/sessions/${uploaded.sessionId}/export`, {
      json: attacker.api.exportBody(uploaded, {}),
    });
    const jobId = started.headers.get('X-Job-Id') ?? '';
    begun(jobId);
    await started.text();
    processor.render = render;
    expect((await cancelling)?.status).toBe(200);
    await untilIdle(test);
    const { results } = await attacker.api.readJson<{ results: { imageId: string; status: string }[] }>(
      `/v1/jobs/${jobId}`,
    );
    const paid = results.filter(({ status }) => status === 'completed').length;
    expect(await attacker.api.balance()).toBe(25 - paid);
    await attacker.api.run('sample', uploaded);
    expect(await usedOf(attacker)).toBe(5 - paid);
  });

  it('a sample of an image that was paid for is free', async () => {
    const owner = await test.createAccount({ credits: 25 });
    const uploaded = await owner.api.upload(await photographs(2));
    await owner.api.run('export', uploaded);
    await owner.api.run('sample', uploaded);
    expect(await usedOf(owner)).toBe(0);
  });
});

describe('a session token', () => {
  it('samples ten images unless it says otherwise, and leaves the rest of the day to its account', async () => {
    const owner = await test.createAccount();
    const uploaded = await owner.api.upload(await photographs(3));
    const { token } = await createTokenOf(owner, { sessionId: uploaded.sessionId, maxSamples: 2 });
    const sample = (ids: string[], settings = {}) =>
      outcomeOf(
        callWithToken(owner.api, token, `/v1/sessions/${uploaded.sessionId}/sample`, {
          json: { images: ids.map((id) => ({ id })), settings },
        }),
      );
    const [a = '', b = '', c = ''] = uploaded.images.map(({ id }) => id);
    expect(await sample([a, b, c])).toBe('403 token_used_up');
    expect(await sample([a])).toBe('200');
    expect(await sample([a])).toBe('200');
    expect(await sample([b])).toBe('200');
    expect(await sample([c])).toBe('403 token_used_up');
    expect(await usedOf(owner)).toBe(2);
    expect(await sample([a], { format: 'png' })).toBe('403 token_used_up');

    const defaults = await createTokenOf(owner, { sessionId: uploaded.sessionId });
    expect(defaults).toMatchObject({ maxCredits: 0, maxSamples: 10, maxAnalyses: 10 });
  });

  it('counts what is exported without a gain as its samples', async () => {
    const owner = await test.createAccount({ credits: 25 });
    const uploaded = await owner.api.upload(await photographs(1));
    const wanted = { sessionId: uploaded.sessionId, maxCredits: 5, maxSamples: 1 };
    const { token } = await createTokenOf(owner, wanted);
    const path = `/v1/sessions/${uploaded.sessionId}/export`;
    const outcome = (format: string) => {
      const { images, settings } = withoutGain(uploaded);
      return outcomeOf(callWithToken(owner.api, token, path, { json: { images, settings: { ...settings, format } } }));
    };
    expect(await outcome('webp')).toBe('200');
    await untilIdle(test);
    expect(await outcome('png')).toBe('403 token_used_up');
    expect(await owner.api.balance()).toBe(25);
    expect(await usedOf(owner)).toBe(1);
  });

  it('has ten images described unless it says otherwise', async () => {
    const owner = await test.createAccount();
    const uploaded = await owner.api.upload(await photographs(3));
    const { token } = await createTokenOf(owner, { sessionId: uploaded.sessionId, maxAnalyses: 2 });
    const describeAll = (images: string[]) =>
      outcomeOf(callWithToken(owner.api, token, `/v1/sessions/${uploaded.sessionId}/analyze`, { json: { images } }));
    const ids = uploaded.images.map(({ id }) => id);
    expect(await describeAll(ids)).toBe('403 token_used_up');
    expect(await describeAll(ids.slice(0, 2))).toBe('200');
    expect(await describeAll(ids.slice(2))).toBe('403 token_used_up');
  });
});
