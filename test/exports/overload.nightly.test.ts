import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { expectCleanBooks, untilIdle } from '../support/aftermath.ts';
import { expectError } from '../support/error-answers.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { noiseImage, plainImages } from '../support/small-images.ts';

let test: TestService;
beforeAll(async () => {
  test = await startTestService({ MAX_QUEUED_IMAGES: '4', QUALITY_SEARCH: 'off' });
});
afterAll(() => test.close());
afterEach(() => expectCleanBooks(test));

describe('with room for 4 images', () => {
  it('a job of more is taken when nothing waits', async () => {
    const { api } = await test.createAccount();
    const { last } = await api.run('export', await api.upload(await plainImages(9)));
    expect(last).toMatchObject({ event: 'complete', data: { summary: { total: 9, completed: 9 } } });
  });

  it('a job that finds no room gets 503 with Retry-After before any credit is taken, and works later', async () => {
    const { api } = await test.createAccount({ credits: 20 });
    const busy = await api.upload(
      await Promise.all(Array.from({ length: 4 }, (_, index) => noiseImage(`n${index}.png`, { seed: 700 + index }))),
    );
    const slow = await api.request(`/v1/sessions/${busy.sessionId}/export`, {
      json: api.exportBody(busy, { format: 'avif', preset: 'maximum' }),
    });
    expect([slow.status, await api.balance()]).toEqual([200, 16]);
    const { api: another } = await test.createAccount({ credits: 20 });
    const uploaded = await another.upload(await plainImages(4));
    for (const kind of ['export', 'sample']) {
      const response = await another.request(`/v1/sessions/${uploaded.sessionId}/${kind}`, {
        json: another.exportBody(uploaded, {}),
      });
      const body = expectError({ status: response.status, text: await response.text() }, 'overloaded');
      expect(body.limit).toBe(4);
      expect(Number(response.headers.get('Retry-After'))).toBeGreaterThanOrEqual(1);
    }
    expect(await another.balance()).toBe(20);
    expect(await another.readJson(`/v1/sessions/${uploaded.sessionId}`)).toMatchObject({ jobs: [] });
    await slow.text();
    await untilIdle(test);
    expect((await another.run('export', uploaded)).last.event).toBe('complete');
  });

  it('an account whose images fill its half gets 429 with Retry-After, and works later', async () => {
    const { api } = await test.createAccount({ credits: 20 });
    const busy = await api.upload(
      await Promise.all([1, 2, 3].map((seed) => noiseImage(`${seed}.png`, { seed: 900 + seed }))),
    );
    const slow = await api.request(`/v1/sessions/${busy.sessionId}/export`, {
      json: api.exportBody(busy, { format: 'avif', preset: 'maximum' }),
    });
    const uploaded = await api.upload(await plainImages(1));
    const response = await api.request(`/v1/sessions/${uploaded.sessionId}/sample`, {
      json: api.exportBody(uploaded, {}),
    });
    const body = expectError({ status: response.status, text: await response.text() }, 'rate_limited');
    expect(body).toMatchObject({ queued: 3, limit: 2 });
    expect(Number(response.headers.get('Retry-After'))).toBeGreaterThanOrEqual(1);
    await slow.text();
    await untilIdle(test);
    expect((await api.run('sample', uploaded)).last.event).toBe('complete');
  });

  it('a refusal gives its Idempotency-Key free', async () => {
    const { api } = await test.createAccount();
    const busy = await api.upload(
      await Promise.all([1, 2, 3].map((seed) => noiseImage(`${seed}.png`, { seed: 800 + seed }))),
    );
    const slow = await api.request(`/v1/sessions/${busy.sessionId}/sample`, {
      json: api.exportBody(busy, { format: 'avif', preset: 'maximum' }),
    });
    const uploaded = await api.upload(await plainImages(4));
    const headers = { 'Idempotency-Key': 'later' };
    await expect(api.run('export', uploaded, {}, headers)).rejects.toThrow(/429/);
    await slow.text();
    await untilIdle(test);
    expect((await api.run('export', uploaded, {}, headers)).last.event).toBe('complete');
    expect(await api.balance()).toBe(21);
  });
});
