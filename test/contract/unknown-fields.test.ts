import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  buildOpenApi,
  type CompleteEvent,
  ENDPOINTS,
  type Endpoint,
  type UploadResult,
  uploadFieldsSchema,
} from '#contract';
import { formOf } from '../support/api-client.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { plainImage } from '../support/small-images.ts';

type Json = Record<string, unknown>;

let test: TestService;
let uploaded: UploadResult;
beforeAll(async () => {
  test = await startTestService();
  uploaded = await test.api.upload([await plainImage('one.png'), await plainImage('two.png')]);
});
afterAll(() => test.close());

async function errorsOf(path: string, init: Parameters<TestService['api']['request']>[1]): Promise<unknown> {
  const response = await test.api.request(path, { method: 'POST', ...init });
  const { code, errors } = (await response.json()) as Json;
  expect([response.status, code]).toEqual([400, 'invalid_request']);
  return errors;
}
const refusal = (path: string, json: unknown, method = 'POST') => errorsOf(path, { method, json });
const inSession = (path: string) => `/v1/sessions/${uploaded.sessionId}${path}`;
const [settings, images] = [{}, () => uploaded.images.map(({ id }) => ({ id }))];

describe('a misspelt field of a body', () => {
  it('is refused with the name that was meant, before anything is done', async () => {
    const said = (field: string, name: string) => ({
      body: [`unknown field "${field}"; did you mean ${name}?`],
    });
    expect(await refusal(inSession('/analyze'), { optons: { language: 'de' } })).toEqual(said('optons', 'options'));
    expect(await refusal('/v1/analyze', { sessionId: uploaded.sessionId, imges: [] })).toEqual(said('imges', 'images'));
    const origin = 'https://www.example.com';
    expect(await refusal('/v1/tokens', { origin, maxCredit: 5 })).toEqual(said('maxCredit', 'maxCredits'));
    expect(await refusal('/v1/credits/check', { imageCount: 1, operatoin: 'export' })).toEqual(
      said('operatoin', 'operation'),
    );
    expect(await refusal(inSession('/shares'), { day: 3 })).toEqual(said('day', 'days'));
    expect(await refusal(inSession('/export'), { images: images(), settings, session: 'x' })).toEqual(
      said('session', 'sessionId'),
    );
    expect(await refusal('/account/log-in', { email: 'a@example.com', password: 'x', pasword: 'x' })).toEqual(
      said('pasword', 'password'),
    );
    const path = inSession(`/images/${uploaded.images[0]?.id}`);
    expect(await refusal(path, { metadata: {}, text: {} }, 'PATCH')).toEqual(said('text', 'texts'));
    const { status } = await test.api.readJson<{ status: string }>(inSession('/analysis'));
    expect([status, await test.api.balance()]).toEqual(['none', 1000]);
  });

  it('is refused with its place inside of lists and objects', async () => {
    const [id] = images();
    expect(await refusal(inSession('/sample'), { images: [{ ...id, focalPoit: { x: 0, y: 0 } }], settings })).toEqual({
      'images.0': ['unknown field "focalPoit"; did you mean focalPoint?'],
    });
    const elements = await refusal(inSession('/analyze'), { images: [{ ...id, colour: 'red' }] });
    expect(elements).toEqual({ 'images.0': [expect.stringContaining('unknown field "colour"; expected only id')] });
    expect(await refusal('/v1/sessions', { images: [{ url: 'https://example.com/a.jpg', filname: 'b' }] })).toEqual({
      'images.0': ['unknown field "filname"; did you mean filename?'],
    });
    const path = inSession(`/images/${uploaded.images[0]?.id}`);
    expect(await refusal(path, { metadata: { titel: 'x' } }, 'PATCH')).toEqual({
      metadata: ['unknown field "titel"; did you mean title?'],
    });
    expect(await refusal(path, { texts: { de: { altt: 'x' } } }, 'PATCH')).toEqual({
      'texts.de': ['unknown field "altt"; did you mean alt?'],
    });
  });

  it('is refused in a multipart upload, as a part and within `metadata`', async () => {
    const send = async (name: string, text: string) => {
      const form = await formOf([await plainImage('one.png')]);
      form.append(name, text);
      return errorsOf('/v1/sessions', { body: form });
    };
    expect(await send('metdata', '[]')).toEqual({ body: ['unknown field "metdata"; did you mean metadata?'] });
    expect(await send('metadata', '[{"clientref":"7"}]')).toEqual({
      'metadata.0': ['unknown field "clientref"; did you mean clientRef?'],
    });
  });
});

describe('what the specification and answers allow', () => {
  it('is accepted: other fields of `images[].metadata`, with a warning', async () => {
    const [image] = images();
    const json = { images: [{ ...image, metadata: { filename: 'a', mood: 'calm' } }], settings };
    const response = await test.api.request(inSession('/sample'), { json });
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('"unknown_field"')]);
  });

  it('is accepted: images as uploads, sessions and edits have answered them, and an order whose price is asked', async () => {
    const path = inSession(`/images/${uploaded.images[0]?.id}`);
    const edited = await test.api.readJson<Json>(path, { method: 'PATCH', json: { metadata: { filename: 'mine' } } });
    const { images: listed } = await test.api.readJson<{ images: Json[] }>(inSession(''));
    const answered = [edited, listed[1]];
    const response = await test.api.request(inSession('/sample'), { json: { images: answered, settings } });
    const events = await response.text();
    const last = JSON.parse(events.slice(events.lastIndexOf('data: ') + 6)) as CompleteEvent;
    expect(last.results.map(({ filename }) => filename)).toEqual(['mine.webp', 'two.webp']);
    const analysis = await test.api.request(inSession('/analyze'), { json: { images: answered } });
    expect([analysis.status, await analysis.text()]).toEqual([200, expect.stringContaining('event: complete')]);
    const order = { sessionId: uploaded.sessionId, images: answered, settings };
    expect(await test.api.readJson('/v1/credits/check', { json: order })).toMatchObject({ cost: 2 });
  });
});

describe('bodies that SDK, element, hosts, plugin and command line sent before bodies were closed', () => {
  const recorded: Record<string, unknown[]> = JSON.parse(readFileSync('test/fixtures/client-bodies.json', 'utf8'));
  const bodies = (Object.values(ENDPOINTS) as Endpoint[]).flatMap(({ body }) => (body ? [body] : []));

  it('are of every kind, and none is refused', () => {
    const schemas = new Map(bodies.map((body) => [String(body.meta()?.id), body]));
    schemas.set('uploadFields', uploadFieldsSchema);
    expect(Object.keys(recorded).sort()).toEqual([...schemas.keys()].sort());
    for (const [id, values] of Object.entries(recorded)) {
      for (const value of values) expect(schemas.get(id)?.safeParse(value).error?.issues, id).toBeUndefined();
    }
  });
});

describe('the OpenAPI document', () => {
  const document = buildOpenApi('0') as unknown as {
    paths: Record<string, Record<string, { requestBody?: unknown }>>;
    components: { schemas: Record<string, Json> };
  };

  it('closes every object of a request but `images[].metadata`, and no object of an answer', () => {
    const open: string[] = [];
    const walk = (node: unknown, at: string): void => {
      if (typeof node !== 'object' || node === null) return;
      const { type, properties, additionalProperties } = node as Json;
      if (type === 'object' && properties && additionalProperties !== false) open.push(at);
      for (const [key, value] of Object.entries(node)) walk(value, `${at}.${key}`);
    };
    const { schemas } = document.components;
    for (const [name, schema] of Object.entries(schemas)) if (name.endsWith('Input')) walk(schema, name);
    for (const [path, operations] of Object.entries(document.paths)) {
      for (const [method, { requestBody }] of Object.entries(operations)) walk(requestBody, `${method} ${path}`);
    }
    expect(open).toEqual([expect.stringMatching(/^(ExportImageInput\.properties\.metadata|ExportMetadataInput)/)]);
    const answers = Object.entries(schemas).filter(([name]) => !name.endsWith('Input'));
    expect(JSON.stringify(answers)).not.toContain('"additionalProperties":false');
  });
});
