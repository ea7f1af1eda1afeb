import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestService, type TestService } from '../support/service.ts';
import { plainImage } from '../support/small-images.ts';

let test: TestService;
beforeAll(async () => {
  test = await startTestService();
});
afterAll(() => test.close());

async function faultOf(path: string, init: Parameters<TestService['api']['request']>[1]) {
  const response = await test.api.request(path, init);
  expect(response.status).toBe(400);
  return (await response.json()) as { error: string; code: string; errors?: Record<string, string[]> };
}

/** Returns the error message of a credit check with an invalid body. */
const check = (json: unknown) => faultOf('/v1/credits/check', { json });

describe('the message of an invalid body contains the expected and the received value once', () => {
  it.each([
    [{}, 'imageCount: expected imageCount (a number) or images (a list or a number), but received neither'],
    [[], 'body: expected object, but received a list of 0'],
    [{ imageCount: '3' }, 'imageCount: expected number, but received "3"'],
    [{ imageCount: -1 }, 'imageCount: expected number to be >=0, but received -1'],
    [{ imageCount: 2.5 }, 'imageCount: expected int, but received 2.5'],
    [{ images: 'many' }, 'images: expected array, or expected number, but received "many"'],
    [{ imageCount: 1, operation: 'fly' }, 'operation: expected one of "export"|"sample"|"analyze", but received "fly"'],
  ])('%j', async (body, error) => {
    expect(await check(body)).toMatchObject({ code: 'invalid_request', error });
  });

  it.each([
    ['x', 'settings.responsiveSizes.0: expected number, or expected object, but received "x"'],
    [15, 'settings.responsiveSizes.0: expected number to be >=16, or expected object, but received 15'],
    [{ width: 1.5 }, 'settings.responsiveSizes.0: width: expected int, but received an object'],
    [{ height: 20 }, 'settings.responsiveSizes.0: width: expected number, but received an object'],
  ])('a size %j', async (size, error) => {
    const settings = { responsive: true, responsiveSizes: [size] };
    const images = [{ id: `img_${'a'.repeat(22)}`, uploadPath: 'x', originalFilename: 'x.jpg' }];
    const sessionId = `sess_${'a'.repeat(22)}`;
    const fault = await faultOf(`/v1/sessions/${sessionId}/export`, { json: { sessionId, images, settings } });
    expect(fault).toMatchObject({ code: 'invalid_request', error });
  });

  it.each(['null', '3', '"text"', 'true'])('%s alone is not a valid body', async (body) => {
    const headers = { 'Content-Type': 'application/json' };
    expect(await faultOf('/v1/credits/check', { method: 'POST', headers, body })).toMatchObject({
      code: 'invalid_json',
      error: 'The body is not valid JSON: expected an object or a list',
    });
  });
});

it('a fault in the field beside the files names the field', async () => {
  const { name, bytes } = await plainImage('a.jpg');
  const body = new FormData();
  body.append('metadata', JSON.stringify([{ title: 'x', clientRef: 7 }]));
  body.append('images', new Blob([new Uint8Array(bytes)]), name);
  expect(await faultOf('/v1/sessions', { method: 'POST', body })).toMatchObject({
    error: 'metadata.0.clientRef: expected string, but received 7',
    errors: { 'metadata.0.clientRef': ['expected string, but received 7'] },
  });
});
