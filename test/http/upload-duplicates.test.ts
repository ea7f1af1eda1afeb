import { afterAll, beforeAll, expect, it } from 'vitest';
import type { UploadResult } from '#contract';
import { formOf } from '../support/api-client.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { plainImages } from '../support/small-images.ts';
import { untilAnswered } from '../support/until-answered.ts';

let test: TestService;
beforeAll(async () => {
  test = await startTestService();
});
afterAll(() => test.close());

it('ten simultaneous uploads with one Idempotency-Key make one session and get the same response', async () => {
  const files = await plainImages(3);
  const responses = await Promise.all(
    Array.from({ length: 10 }, async () => {
      const headers = { 'Idempotency-Key': 'upload-1' };
      const body = await formOf(files);
      const response = await untilAnswered(() => test.api.request('/v1/sessions', { method: 'POST', body, headers }));
      return { status: response.status, body: (await response.json()) as UploadResult };
    }),
  );
  expect(responses.map(({ status }) => status)).toEqual(Array(10).fill(201));
  for (const { body } of responses) expect(body).toEqual(responses[0]?.body);
});
