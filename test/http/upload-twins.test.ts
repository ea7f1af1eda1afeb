import { afterAll, beforeAll, expect, it } from 'vitest';
import type { UploadResult } from '#contract';
import { formOf } from '../support/api-client.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { plainImages } from '../support/small-images.ts';

let test: TestService;
beforeAll(async () => {
  test = await startTestService();
});
afterAll(() => test.close());

it('an upload that is sent ten times at once under one Idempotency-Key is one session, and everyone gets it', async () => {
  const files = await plainImages(3);
  const answers = await Promise.all(
    Array.from({ length: 10 }, async () => {
      const headers = { 'Idempotency-Key': 'upload-1' };
      const response = await test.api.request('/v1/sessions', { method: 'POST', body: await formOf(files), headers });
      return { status: response.status, body: (await response.json()) as UploadResult };
    }),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(201));
  for (const { body } of answers) expect(body).toEqual(answers[0]?.body);
});
