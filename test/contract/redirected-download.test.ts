import { expect, it, onTestFinished } from 'vitest';
import { DOWNLOAD_ADDRESS_TYPE } from '#contract/constants';
import { startS3Server } from '../storage/s3-server.ts';
import { answerOf, createAnswerSchemas, headerFaults, type OpenApiDocument } from '../support/answer-schemas.ts';
import { startTestService } from '../support/service.ts';
import { plainImage } from '../support/small-images.ts';

it('a download that leads to the store is as the document says', async () => {
  const s3 = await startS3Server();
  onTestFinished(() => s3.close());
  const test = await startTestService({ ...s3.env(), DOWNLOADS: 'redirect' });
  onTestFinished(() => test.close());
  const document = await test.api.readJson<OpenApiDocument>('/v1/openapi.json');
  const uploaded = await test.api.upload([await plainImage('one.png')]);
  await test.api.run('sample', uploaded);
  const path = `/v1/sessions/${uploaded.sessionId}-sample/download?filename=one.webp`;
  const response = await test.api.request(path, { redirect: 'manual' });
  const documented = answerOf(document, '/v1/sessions/{sessionId}/download', 'GET', response.status);
  expect([response.status, documented && headerFaults(document, documented, response)]).toEqual([302, []]);
  const address = await test.api.request(path, { headers: { Accept: DOWNLOAD_ADDRESS_TYPE } });
  const ok = answerOf(document, '/v1/sessions/{sessionId}/download', 'GET', address.status);
  expect([address.status, ok && headerFaults(document, ok, address)]).toEqual([200, []]);
  expect(createAnswerSchemas(document).component('DownloadAddress', await address.json())).toEqual([]);
});
