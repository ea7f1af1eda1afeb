import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { type ApiClient, formOf } from '../support/api-client.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { plainImages } from '../support/small-images.ts';

let test: TestService;
let folder: string;
let api: ApiClient;
let sessionId: string;
beforeAll(async () => {
  test = await startTestService();
  folder = join(test.dataDir, 'files', 'sessions');
});
afterAll(() => test?.close());
beforeEach(async () => {
  ({ api } = await test.createAccount());
  ({ sessionId } = await api.upload(await plainImages(1)));
});
afterEach(() => mend());

/** Replaces the folder of all uploads by a file, so that nothing can be stored. */
async function breakStorage() {
  await rm(folder, { recursive: true, force: true });
  await writeFile(folder, '');
}
async function mend() {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder);
}

it.each([
  ['a new session', () => '/v1/sessions'],
  ['images for a session', () => `/v1/sessions/${sessionId}/images`],
])('%s that could not be stored leave the Idempotency-Key free, also for other files', async (_, path) => {
  const send = async (count: number) => {
    const headers = { 'Idempotency-Key': `failed ${path()}` };
    const response = await api.request(path(), {
      method: 'POST',
      body: await formOf(await plainImages(count)),
      headers,
    });
    const { images, code } = (await response.json()) as { images?: unknown[]; code?: string };
    return { status: response.status, images: images?.length, code };
  };
  await breakStorage();
  expect(await send(1)).toMatchObject({ status: 500, code: 'internal_error' });
  await mend();
  expect(await send(2)).toMatchObject({ status: 201, images: 2 });
  // The key is now bound to this request.
  expect(await send(2)).toMatchObject({ status: 201, images: 2 });
  expect(await send(1)).toMatchObject({ status: 422, code: 'idempotency_mismatch' });
});
