import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ENDPOINTS,
  type Endpoint,
  type EndpointName,
  type ErrorCode,
  errorCodesOf,
  type UploadResult,
} from '#contract';
import { ROUTES } from '../../server/http/routes/index.ts';
import { answerOf, createAnswerSchemas, headerFaults, type OpenApiDocument } from '../support/answer-schemas.ts';
import { formOf, readEvents } from '../support/api-client.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { noiseImage, plainImage, type SmallImage } from '../support/small-images.ts';

let test: TestService;
let document: OpenApiDocument;
let schemas: ReturnType<typeof createAnswerSchemas>;
let uploaded: UploadResult;
let image: SmallImage;
let jobId: string;
/** Every response so far: endpoint and status, or endpoint and error code. */
const seen = new Set<string>();

beforeAll(async () => {
  test = await startTestService({ MAX_FILE_MB: '1', MAX_FILES_PER_REQUEST: '3', MAX_IMAGES_PER_SESSION: '3' });
  document = (await (await fetch(`${test.url}/v1/openapi.json`)).json()) as OpenApiDocument;
  schemas = createAnswerSchemas(document);
  image = await plainImage('one.png');
  uploaded = await test.api.upload([image], { metadata: [{ clientRef: '42', title: 'One' }] });
  jobId = (
    await test.api.run('export', uploaded, { responsive: true, responsiveSizes: [16, { width: 20, height: 20 }] })
  ).jobId;
});
afterAll(() => test.close());

type Init = Parameters<TestService['api']['request']>[1];

/** Calls an endpoint, validates the response with the document and returns its body. */
async function call(name: EndpointName, status: number, init: Init = {}, path = '', key?: string): Promise<unknown> {
  const endpoint: Endpoint = ENDPOINTS[name];
  const ids: Record<string, string> = {
    ':sessionId': uploaded.sessionId,
    ':imageId': uploaded.images[0]?.id ?? '',
    ':jobId': jobId,
    ':shareId': `share_${'s'.repeat(22)}`,
  };
  const filled = endpoint.path.replace(/:\w+/g, (part) => ids[part] ?? '');
  const target = path.startsWith('/') ? path : filled + path;
  const headers = { ...(init.headers as Record<string, string>), ...(key === undefined ? {} : { 'X-API-Key': key }) };
  const response = await test.api.request(target, { method: endpoint.method, ...init, headers });
  const pattern = endpoint.path.replace(/:(\w+)/g, '{$1}');
  const documented = answerOf(document, pattern, endpoint.method, response.status);
  expect([response.status, documented !== undefined]).toEqual([status, true]);
  if (documented) expect([name, status, headerFaults(document, documented, response)]).toEqual([name, status, []]);
  const type = response.headers.get('Content-Type') ?? '';
  if (status >= 400) {
    const body = (await response.json()) as { code: ErrorCode; requestId: string };
    expect(schemas.component('ErrorBody', body)).toEqual([]);
    expect(errorCodesOf(endpoint)).toContain(body.code);
    expect(documented?.description).toContain(`\`${body.code}\``);
    expect(body.requestId).toBe(response.headers.get('X-Request-Id'));
    seen.add(`${name} ${body.code}`);
    return body;
  }
  seen.add(`${name} ${status}`);
  if (status === 204 || status === 304) return response.text();
  if (endpoint.success.kind === 'binary') return Buffer.from(await response.arrayBuffer());
  if (endpoint.success.kind === 'stream') {
    expect(type).toBe('text/event-stream; charset=utf-8');
    const events = [];
    for await (const event of readEvents(response)) events.push(event);
    const prefix = endpoint.tag === 'Analysis' ? 'Analysis' : '';
    const names = { progress: 'ProgressEvent', complete: `${prefix}CompleteEvent`, error: `${prefix}ErrorEvent` };
    for (const { event, data } of events) expect(schemas.component(names[event], data)).toEqual([]);
    return events;
  }
  expect(type).toMatch(/^application\/json/);
  const body: unknown = await response.json();
  if (name !== 'getOpenApi') {
    expect(schemas.answer(pattern, endpoint.method.toLowerCase(), status, body)).toEqual([]);
  }
  return body;
}

const exportBody = (settings: unknown = {}) => ({ images: uploaded.images.map(({ id }) => ({ id })), settings });
const settings = {};
const unknownImage = `img_${'z'.repeat(22)}`;
const unknownSession = `sess_${'z'.repeat(22)}`;
const text = { name: 'notes.txt', bytes: Buffer.from('no image') };

describe('responses, compared with the OpenAPI document with every schema closed', () => {
  it('of uploads', async () => {
    await call('createSession', 201, { body: await formOf([image, text]) });
    await call('createSession', 415, { body: await formOf([text]) });
    await call('createSession', 400, { body: new FormData() });
    await call('createSession', 400, { body: await formOf([image, image, image, image]) });
    await call('createSession', 413, { body: await formOf([{ name: 'big.png', bytes: Buffer.alloc(1_000_001) }]) });
    await call('createSession', 400, { json: { images: [{ url: 'https://example.com/a.jpg' }] } });
    await call('createSession', 400, { json: { images: [] } });
    await call('createSession', 415, { body: 'x', headers: { 'Content-Type': 'text/plain' } });
    await call('createSession', 400, { body: 'x', headers: { 'Content-Type': 'multipart/form-data; boundary=y' } });
    await call('createSession', 422, { body: await formOf(['nasty/random-bytes.webp']) });
    await call('createSession', 422, { body: await formOf(['nasty/bomb-header-lies-65000x65000.png']) });
    const created = (await call('createSession', 201, { body: await formOf([image]) })) as UploadResult;
    await call('addImages', 201, { body: await formOf([image, text]) }, `/v1/sessions/${created.sessionId}/images`);
    await call('addImages', 409, { body: await formOf([image, image]) }, `/v1/sessions/${created.sessionId}/images`);
    await call('addImages', 415, { body: await formOf([text]) });
    await call('addImages', 404, { body: await formOf([image]) }, `/v1/sessions/${unknownSession}/images`);
    await call('deleteSession', 204, {}, `/v1/sessions/${created.sessionId}`);
    await call('deleteSession', 404, {}, `/v1/sessions/${created.sessionId}`);
  });

  it('of sessions, images and previews', async () => {
    await call('updateImage', 200, { json: { metadata: { title: 'T', alt: null, tags: ['a'] } } });
    await call('updateImage', 400, { json: { metadata: { colour: 'red' } } });
    await call(
      'updateImage',
      404,
      { json: { metadata: {} } },
      `/v1/sessions/${uploaded.sessionId}/images/${unknownImage}`,
    );
    await call('listSessions', 200);
    await call('listSessions', 400, {}, '?limit=0');
    await call('getSession', 200);
    await call('getSession', 404, {}, `/v1/sessions/${unknownSession}`);
    await call('previewImage', 200);
    await call('previewImage', 206, { headers: { Range: 'bytes=0-9' } });
    await call('previewImage', 416, { headers: { Range: 'bytes=999999-' } });
    const { headers } = await test.api.request(
      `/v1/sessions/${uploaded.sessionId}/images/${uploaded.images[0]?.id}/preview`,
    );
    const unchanged = { 'If-None-Match': headers.get('ETag') ?? '', 'Cache-Control': 'max-age=60' };
    await call('previewImage', 304, { headers: unchanged });
    await call('previewImage', 400, {}, '?width=1');
    await call('previewImage', 404, {}, `/v1/sessions/${unknownSession}/images/${unknownImage}/preview`);
  });

  it('of links to a session', async () => {
    const made = (await call('createShare', 201, { json: { days: 2 } })) as { id: string };
    await call('createShare', 400, { json: { days: 99 } });
    await call('createShare', 404, { json: {} }, `/v1/sessions/${unknownSession}/shares`);
    await call('listShares', 200);
    const path = `/v1/sessions/${uploaded.sessionId}/shares/`;
    await call('revokeShare', 204, {}, path + made.id);
    await call('revokeShare', 404, {}, `${path}share_${'z'.repeat(22)}`);
  });

  it('of exports and samples', async () => {
    await call('exportImages', 200, { json: exportBody() });
    await call('exportImages', 400, { json: { images: [] } });
    await call('exportImages', 400, { json: { ...exportBody(), sessionId: unknownSession } });
    await call('exportImages', 400, { json: { images: [...exportBody().images, ...exportBody().images], settings } });
    await call('exportImages', 400, {
      json: { images: [{ ...exportBody().images[0], uploadPath: '/etc/passwd' }], settings },
    });
    await call('exportImages', 404, { json: { images: [{ id: unknownImage }], settings } });
    await call('exportImages', 404, { json: exportBody() }, `/v1/sessions/${unknownSession}/export`);
    await call('exportImages', 400, { json: exportBody(), headers: { 'Idempotency-Key': 'x'.repeat(256) } });
    await call('exportImages', 200, { json: exportBody(), headers: { 'Idempotency-Key': 'k' } });
    await call('exportImages', 422, { json: exportBody({ format: 'png' }), headers: { 'Idempotency-Key': 'k' } });
    await call('exportImagesFlat', 200, { json: { ...exportBody(), sessionId: uploaded.sessionId } });
    await call('exportImagesFlat', 400, { json: exportBody() });
    await call('sampleImages', 200, { json: exportBody() });
    const six = Array.from({ length: 6 }, (_, index) => ({ id: `img_${String(index).repeat(22)}` }));
    await call('sampleImages', 400, { json: { images: six, settings } });
    const poor = await test.createAccount({ credits: 0 });
    const theirs = await poor.api.upload([image]);
    const json = { images: theirs.images.map(({ id }) => ({ id })), settings };
    await call('exportImages', 402, { json }, `/v1/sessions/${theirs.sessionId}/export`, poor.apiKey);
  });

  it('of analyses', async () => {
    await call('getAnalysis', 200);
    await call('analyzeImages', 200, { json: {} });
    await call('analyzeImages', 400, { json: { options: { maxAltChars: 0 } } });
    await call('analyzeImages', 400, { json: { images: [uploaded.images[0]?.id, uploaded.images[0]?.id] } });
    await call('analyzeImages', 400, { json: { sessionId: unknownSession } });
    await call('analyzeImages', 404, { json: { images: [unknownImage] } });
    await call('analyzeImages', 404, { json: {} }, `/v1/sessions/${unknownSession}/analyze`);
    await call('analyzeImagesFlat', 200, { json: { sessionId: uploaded.sessionId } });
    await call('analyzeImagesFlat', 400, { json: {} });
    await call('getAnalysis', 200);
    await call('getAnalysis', 404, {}, `/v1/sessions/${unknownSession}/analysis`);
    await call('getSession', 200);
  });

  it('of failed, cancelled and finished jobs', async () => {
    const broken = await test.api.upload(['nasty/jpeg-truncated.jpg']);
    await call(
      'exportImages',
      200,
      { json: { ...exportBody(), images: [{ id: broken.images[0]?.id }] } },
      `/v1/sessions/${broken.sessionId}/export`,
    );
    await call('getJob', 200);
    await call('getJob', 404, {}, `/v1/jobs/job_${'z'.repeat(22)}`);
    await call('followJob', 200);
    await call('followJob', 204, { headers: { 'Last-Event-ID': `${jobId}:999999` } });
    await call('followJob', 404, {}, `/v1/jobs/job_${'z'.repeat(22)}/events`);
    await call('cancelJob', 409);
    const slow = await test.api.upload([await noiseImage('slow.png', { width: 640, height: 400 })]);
    const response = await test.api.request(`/v1/sessions/${slow.sessionId}/sample`, {
      json: { images: [{ id: slow.images[0]?.id }], settings: { format: 'avif', preset: 'maximum' } },
    });
    await call('cancelJob', 200, {}, `/v1/jobs/${response.headers.get('X-Job-Id')}/cancel`);
    const names = { progress: 'ProgressEvent', complete: 'CompleteEvent', error: 'ErrorEvent' };
    for await (const { event, data } of readEvents(response)) {
      expect(schemas.component(names[event], data)).toEqual([]);
    }
  });

  it('of session tokens', async () => {
    const origin = 'https://www.example.com';
    const json = { origin, sessionId: uploaded.sessionId };
    const { token } = (await call('createToken', 201, { json })) as { token: string };
    await call('createToken', 400, { json: { origin: `${origin}/` } });
    await call('createToken', 404, { json: { origin, sessionId: unknownSession } });
    await call('createToken', 403, { json, headers: { Origin: origin } }, '', token);
    await call('getBalance', 403, { headers: { Origin: origin } }, '', token);
    await call('getSession', 200, { headers: { Origin: origin } }, '', token);
  });

  it('of downloads', async () => {
    const filename = '?filename=one.webp';
    await call('downloadFile', 200, {}, filename);
    await call('downloadFile', 206, { headers: { Range: 'bytes=0-9' } }, filename);
    await call('downloadFile', 416, { headers: { Range: 'bytes=999999-' } }, filename);
    const { headers } = await test.api.request(`/v1/sessions/${uploaded.sessionId}/download${filename}`);
    // fetch would add `no-cache` to a conditional request.
    const unchanged = { 'If-None-Match': headers.get('ETag') ?? '', 'Cache-Control': 'max-age=60' };
    await call('downloadFile', 304, { headers: unchanged }, filename);
    await call('downloadFile', 400);
    await call('downloadFile', 404, {}, '?filename=two.webp');
    await call('downloadFile', 404, {}, `/v1/sessions/${unknownSession}/download${filename}`);
  });

  it('of credits and documents', async () => {
    await call('getBalance', 200);
    await call('checkCredits', 200, { json: { imageCount: 3 } });
    await call('checkCredits', 200, { json: { images: [{}, {}], operation: 'analyze' } });
    await call('checkCredits', 400, { json: { operation: 'export' } });
    await call('listTransactions', 200, {}, '?limit=2');
    await call('listTransactions', 400, {}, '?limit=0');
    expect(await call('getLimits', 200)).toMatchObject({ maxFileBytes: 1_000_000, maxImagesPerSession: 3 });
    await call('getOpenApi', 200);
    const { headers } = await test.api.request('/v1/openapi.json');
    await call('getOpenApi', 304, { headers: { 'If-None-Match': headers.get('ETag') ?? '' } });
    await call('getOpenApi', 412, { headers: { 'If-Match': '"other"' } });
  });

  it('of every endpoint without a key, with a wrong one, and with one that is deactivated', async () => {
    const disabled = await test.createAccount({ plan: 'agency' });
    await test.service.accounts.keys.deactivate(disabled.accountId, disabled.keyId);
    for (const [name, { auth }] of Object.entries(ENDPOINTS) as [EndpointName, Endpoint][]) {
      if (auth !== 'key') continue;
      await call(name, 401, {}, '', '');
      await call(name, 401, {}, '', `iw_${'a'.repeat(36)}`);
      await call(name, 403, {}, '', disabled.apiKey);
    }
  });

  it('covered every success status that is documented for /v1', () => {
    const v1 = (Object.entries(ENDPOINTS) as [EndpointName, Endpoint][]).filter(([, { path }]) =>
      path.startsWith('/v1/'),
    );
    const documented = v1.flatMap(([name, { path, method }]) => {
      const operation = document.paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
      const successes = Object.keys(operation?.responses ?? {}).filter((status) => Number(status) < 400);
      return successes.map((status) => `${name} ${status}`);
    });
    // That of a service with another store is in redirected-download.test.ts.
    expect(documented.filter((answer) => !seen.has(answer))).toEqual(['downloadFile 302']);
  });
});

describe('the routes of the server', () => {
  it('match the endpoint table, in its order', () => {
    expect(ROUTES.map(({ name }) => name).sort()).toEqual(Object.keys(ENDPOINTS).sort());
    for (const { name, endpoint } of ROUTES) expect(endpoint).toBe(ENDPOINTS[name]);
  });

  it('are all in the served document, with their name as operationId', () => {
    const ids = Object.values(document.paths).flatMap((item) =>
      Object.values(item).map(({ operationId }) => operationId),
    );
    expect(ids.sort()).toEqual(Object.keys(ENDPOINTS).sort());
  });
});
