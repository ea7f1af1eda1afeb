import { describe, expect, it } from 'vitest';
import type { Balance } from '#contract';
import type { FakeMode } from '../support/fake-vision-server.ts';
import { plainImage } from '../support/small-images.ts';
import { useAnalyzingService } from './analyzing-service.ts';

describe('descriptions that cost credits', () => {
  const service = useAnalyzingService({ ANALYSIS_CREDITS: '2' });

  it.each<[FakeMode, string, number]>([
    ['good', 'completed', 4],
    ['refusal-field', 'refused', 0],
    ['unauthorized', 'failed', 0],
  ])('cost nothing unless the model has described the image: %s', async (mode, aiStatus, charged) => {
    service.vision.mode = mode;
    const done = await service.analyze(await service.uploadImages(2));
    const told = done.results.map((result) => [result.aiStatus, result.creditsCharged]);
    expect(told).toEqual(Array(2).fill([aiStatus, charged / 2]));
    expect(done).toMatchObject({ credits: { charged: 4, refunded: 4 - charged, balance: 25 - charged } });
    const { balance, limits } = await service.api.readJson<Balance>('/v1/credits/balance');
    expect([balance, limits.analysesPerDay?.used]).toEqual([25 - charged, 0]);
  });

  it('cost nothing for images about which the model was not asked', async () => {
    const small = await plainImage('small.png', { width: 8, height: 8 });
    const { bytes } = await plainImage('written.png', { width: 320, height: 240 });
    const uploaded = await service.api.upload([small, { name: 'written.png', bytes }]);
    const texts = { filename: 'b', title: 'Title', alt: 'Text', caption: 'Caption', tags: ['tag'], decorative: false };
    const path = `/v1/sessions/${uploaded.sessionId}/images/${uploaded.images[1]?.id}`;
    await service.api.readJson(path, { method: 'PATCH', json: { metadata: texts } });
    const asked = service.vision.requests.length;
    const done = await service.analyze(uploaded);
    expect(done.results.map((result) => [result.aiStatus, result.creditsCharged])).toEqual([
      ['none', 0],
      ['none', 0],
    ]);
    expect(service.vision.requests.length).toBe(asked);
    expect(done).toMatchObject({ credits: { charged: 4, refunded: 4, balance: 25 } });
  });
});

describe('free descriptions', () => {
  const service = useAnalyzingService();

  it.each<[FakeMode, number]>([
    ['refusal-field', 6],
    ['wrong-shape', 6],
    ['unauthorized', 5],
  ])('of equal pictures count once, and not without a reply of the model: %s', async (mode, used) => {
    await service.test.service.accounts.limits.count(service.accountId, 'analyses', 5);
    service.vision.mode = mode;
    const { bytes } = await plainImage('one.png', { width: 320, height: 240 });
    await service.analyze(await service.api.upload(['1.png', '2.png', '3.png'].map((name) => ({ name, bytes }))));
    const { limits } = await service.api.readJson<Balance>('/v1/credits/balance');
    expect(limits.analysesPerDay?.used).toBe(used);
  });
});
