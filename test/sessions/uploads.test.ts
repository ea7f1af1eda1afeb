import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Session, UploadResult } from '#contract';
import { filesOf, storedFiles } from '../support/aftermath.ts';
import { type ApiClient, formOf } from '../support/api-client.ts';
import { type SharedService, sharedService } from '../support/shared-service.ts';
import { plainImage, plainImages } from '../support/small-images.ts';

let test: SharedService;
let api: ApiClient;
beforeAll(async () => {
  test = await sharedService();
  ({ api } = test);
});

const text = { name: 'notes.txt', bytes: Buffer.from('hello') };

async function post(path: string, body: FormData | undefined, headers: Record<string, string> = {}) {
  const response = await api.request(path, { method: 'POST', body, headers });
  const answer = (await response.json()) as UploadResult & { code?: string; error?: string; limit?: number };
  return { status: response.status, location: response.headers.get('Location'), body: answer };
}

describe('an upload', () => {
  it('is 201 with Location, and tells of each image what its bytes are', async () => {
    const { status, location, body } = await post('/v1/sessions', await formOf([await plainImage('a.png')]));
    expect([status, location]).toEqual([201, `/v1/sessions/${body.sessionId}`]);
    expect(body.sessionId).toMatch(/^sess_[0-9A-Za-z]{22}$/);
    expect(Date.parse(body.expiresAt) - Date.parse(body.createdAt)).toBe(24 * 3_600_000);
    const [image] = body.images;
    expect(image?.id).toMatch(/^img_[0-9A-Za-z]{22}$/);
    expect(image).toEqual({
      id: image?.id,
      originalFilename: 'a.png',
      uploadPath: `sessions/${body.sessionId}/${image?.id}.png`,
      mimeType: 'image/png',
      format: 'png',
      size: (await plainImage('a.png')).bytes.length,
      sha256: createHash('sha256')
        .update((await plainImage('a.png')).bytes)
        .digest('hex'),
      width: 40,
      height: 30,
      hasAlpha: false,
      pages: 1,
      clientRef: null,
      position: 0,
      carries: [],
      warnings: [],
      metadata: null,
    });
  });

  it.each(['images', 'images[]', 'image', 'files', 'file'])('takes files in the field %s', async (field) => {
    const form = new FormData();
    const { name, bytes } = await plainImage('a.png');
    form.append(field, new Blob([bytes as Uint8Array<ArrayBuffer>]), name);
    expect((await post('/v1/sessions', form)).status).toBe(201);
  });

  it('believes the bytes, not the name or the type, and turns width and height upright', async () => {
    const { images } = await api.upload([
      'nasty/png-named-as.jpg',
      'nasty/jpeg-exif-orientation-6.jpg',
      'nasty/animated.gif',
      'nasty/png-16bit-grey-alpha.png',
    ]);
    expect(
      images.map(({ format, width, height, pages, hasAlpha }) => [format, width, height, pages, hasAlpha]),
    ).toEqual([
      ['png', 1200, 640, 1, false],
      ['jpeg', 320, 600, 1, false],
      ['gif', 320, 180, 8, true],
      ['png', 400, 213, 1, true],
    ]);
    expect(images[0]?.uploadPath).toMatch(/\.png$/);
  });

  it('of good and bad files is 201 with the bad ones in rejected, each with the clientRef of its place', async () => {
    const metadata = [{ clientRef: 'a' }, { clientRef: 'b' }, null, { clientRef: 'd', title: 'D' }];
    const files = [await plainImage('a.png'), text, await plainImage('c.png'), await plainImage('d.png')];
    const { images, rejected } = await api.upload(files, { metadata });
    expect(images.map(({ originalFilename, clientRef }) => [originalFilename, clientRef])).toEqual([
      ['a.png', 'a'],
      ['c.png', null],
      ['d.png', 'd'],
    ]);
    expect(images[2]?.metadata).toMatchObject({ title: 'D', source: { title: 'user' } });
    expect(rejected).toMatchObject([
      { originalFilename: 'notes.txt', clientRef: 'b', status: 415, code: 'unsupported_image' },
    ]);
  });

  it('of bad files alone has the status of the first one and makes no session', async () => {
    const before = await storedFiles(test);
    const one = await post('/v1/sessions', await formOf(['nasty/random-bytes.webp', text]));
    expect([one.status, one.body.code, one.body.rejected.map(({ status }) => status)]).toEqual([
      422,
      'invalid_image',
      [422, 415],
    ]);
    const two = await post('/v1/sessions', await formOf([text, 'nasty/random-bytes.webp']));
    expect([two.status, two.body.code]).toEqual([415, 'unsupported_image']);
    expect(await storedFiles(test)).toEqual(before);
  });

  it('without a file is 400 no_images, by URL 400 url_import_disabled', async () => {
    expect((await post('/v1/sessions', new FormData())).body.code).toBe('no_images');
    const response = await api.request('/v1/sessions', { json: { images: [{ url: 'https://example.com/a.jpg' }] } });
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([400, 'url_import_disabled']);
  });

  it.each(['{', '{}', '"x"', '[1]', '[{"clientRef":1}]', `[{"clientRef":"${'x'.repeat(256)}"}]`])(
    'with the metadata %s is 400 and leaves no file',
    async (metadata) => {
      const form = await formOf([await plainImage('a.png')]);
      form.append('metadata', metadata);
      const before = await storedFiles(test);
      expect(await post('/v1/sessions', form)).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
      expect(await storedFiles(test)).toEqual(before);
    },
  );

  it('adds to a session in the order of the requests, also 10 of them at once', async () => {
    const { sessionId } = await api.upload([await plainImage('first.png')]);
    const files = await plainImages(10);
    await Promise.all(files.map((file) => api.upload([file], { sessionId })));
    const session = await api.readJson<Session>(`/v1/sessions/${sessionId}`);
    expect(session.images.map(({ originalFilename }) => originalFilename).sort()).toEqual(
      ['first.png', ...files.map(({ name }) => name)].sort(),
    );
    expect(session.images[0]?.originalFilename).toBe('first.png');
    expect(await filesOf(test, sessionId)).toHaveLength(11);
  });
});

describe('places of images', () => {
  const namesOf = async (sessionId: string) =>
    (await api.readJson<Session>(`/v1/sessions/${sessionId}`)).images.map(({ originalFilename }) => originalFilename);

  it('are those that the client names, whatever arrives first; others go behind', async () => {
    const [a, b, c, d] = await plainImages(4);
    if (!a || !b || !c || !d) throw new Error('Expected four images');
    const { sessionId } = await api.upload([c], { metadata: [{ position: 2 }] });
    await api.upload([b, a], { sessionId, metadata: [{ position: 1 }, { position: 0 }] });
    const { images } = await api.upload([d], { sessionId });
    expect(images[0]?.position).toBe(3);
    expect(await namesOf(sessionId)).toEqual([a, b, c, d].map(({ name }) => name));
    const { sessions } = await api.readJson<{ sessions: { sessionId: string; firstImage: string }[] }>('/v1/sessions');
    expect(sessions.find((each) => each.sessionId === sessionId)?.firstImage).toBe(a.name);
  });

  it.each([-1, 1.5, '1', 1e12])('are whole numbers from 0: %s is 400', async (position) => {
    const form = await formOf([await plainImage('a.png')]);
    form.append('metadata', JSON.stringify([{ position }]));
    expect(await post('/v1/sessions', form)).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  });
});
