import { createHash } from 'node:crypto';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import type { CreatedShare, Image, RecentSessions, Session, UploadResult } from '#contract';
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

describe('a session', () => {
  it('shows its images with metadata, the state of the analysis and its jobs, newest first', async () => {
    const uploaded = await api.upload(await plainImages(2), { metadata: [{ clientRef: '1' }] });
    const first = await api.run('sample', uploaded);
    const second = await api.run('export', uploaded, { format: 'png' });
    const session = await api.readJson<Session>(`/v1/sessions/${uploaded.sessionId}`);
    expect(session.images).toEqual(uploaded.images);
    expect(session.analysis).toEqual({ status: 'none' });
    expect(
      session.jobs.map(({ jobId, kind, status, current, total }) => [jobId, kind, status, current, total]),
    ).toEqual([
      [second.jobId, 'export', 'completed', 2, 2],
      [first.jobId, 'sample', 'completed', 2, 2],
    ]);
    expect(session.jobs.every((job) => job.results === undefined)).toBe(true);
  });

  it('of another account answers exactly as one that does not exist, on every path', async () => {
    const uploaded = await api.upload([await plainImage('a.png')]);
    await api.run('export', uploaded);
    const stranger = (await test.createAccount()).api;
    const image = uploaded.images[0]?.id;
    const missing = `sess_${'z'.repeat(22)}`;
    const requests: [string, string, object | undefined][] = [
      ['GET', '', undefined],
      ['DELETE', '', undefined],
      ['PATCH', `/images/${image}`, { metadata: { title: 'mine' } }],
      ['GET', `/images/${image}/preview`, undefined],
      ['POST', '/export', { images: [{ id: image }], settings: {} }],
      ['POST', '/sample', { images: [{ id: image }], settings: {} }],
      ['GET', '/download?filename=a.webp', undefined],
      ['GET', '-sample/download?filename=a.webp', undefined],
    ];
    for (const [method, path, json] of requests) {
      const answers = await Promise.all(
        [uploaded.sessionId, missing].map(async (id) => {
          const response = await stranger.request(`/v1/sessions/${id}${path}`, { method, json });
          const { requestId: _, ...body } = (await response.json()) as Record<string, unknown>;
          return JSON.stringify([response.status, body]).replaceAll(id, 'ID');
        }),
      );
      expect([path, answers[0]]).toEqual([path, answers[1]]);
      expect(answers[0]).toContain('[404,');
    }
    const form = await formOf([await plainImage('b.png')]);
    const added = await stranger.request(`/v1/sessions/${uploaded.sessionId}/images`, { method: 'POST', body: form });
    expect(added.status).toBe(404);
    const own = await stranger.upload([await plainImage('c.png')]);
    const json = { images: [{ id: image }], settings: {} };
    const mixed = await stranger.request(`/v1/sessions/${own.sessionId}/export`, { json });
    expect([mixed.status, ((await mixed.json()) as { code: string }).code]).toEqual([404, 'image_not_found']);
    expect((await api.readJson<Session>(`/v1/sessions/${uploaded.sessionId}`)).images).toEqual(uploaded.images);
  });

  it('that has expired is 404 and is removed with its files; one that is used lives on', async () => {
    const [expired, used] = [
      await api.upload([await plainImage('a.png')]),
      await api.upload([await plainImage('b.png')]),
    ];
    const database = await test.openDatabase();
    const record = await database.sessions.findDisposable(new Date(Date.now() + 48 * 3_600_000), 1000);
    await database.sessions.remove(expired.sessionId);
    const old = record.find(({ _id }) => _id === expired.sessionId);
    if (old) await database.sessions.insert({ ...old, expiresAt: new Date(Date.now() - 1) });
    await database.close();

    expect((await api.request(`/v1/sessions/${expired.sessionId}`)).status).toBe(404);
    await expect(api.run('export', expired)).rejects.toThrow(/404/);
    expect(await test.service.disposal.sweep()).toBe(1);
    expect(await filesOf(test, expired.sessionId)).toEqual([]);
    await expect(api.run('sample', used)).resolves.toBeDefined();
  });
});

describe('metadata', () => {
  const patch = (path: string, metadata: unknown) =>
    api.readJson<Image>(path, { method: 'PATCH', json: { metadata } }).then((image) => image.metadata);

  it('is edited field by field; null clears a field, and what a person set says so', async () => {
    const { sessionId, images } = await api.upload([await plainImage('a.png')]);
    const path = `/v1/sessions/${sessionId}/images/${images[0]?.id}`;
    expect(await patch(path, { title: 'Title', tags: ['x', 'y'] })).toEqual({
      filename: null,
      title: 'Title',
      alt: null,
      caption: null,
      tags: ['x', 'y'],
      language: null,
      decorative: false,
      source: { title: 'user', tags: 'user' },
      needsReview: [],
      model: null,
    });
    expect(await patch(path, { alt: '', decorative: true })).toMatchObject({
      title: 'Title',
      alt: '',
      decorative: true,
      source: { title: 'user', tags: 'user', alt: 'user', decorative: 'user' },
    });
    expect(await patch(path, { title: null, tags: null })).toMatchObject({ title: null, tags: [], alt: '' });
    expect(await patch(path, {})).toMatchObject({ title: null, alt: '' });
    const session = await api.readJson<Session>(`/v1/sessions/${sessionId}`);
    expect(session.images[0]?.metadata).toMatchObject({ title: null, alt: '' });
  });

  it('with unknown fields, wrong types or texts that are too long is 400 and names the field', async () => {
    const { sessionId, images } = await api.upload([await plainImage('a.png')]);
    const path = `/v1/sessions/${sessionId}/images/${images[0]?.id}`;
    for (const [field, value] of Object.entries({
      title: 'x'.repeat(501),
      alt: 1,
      filename: 'x'.repeat(256),
      tags: Array(51).fill('a'),
      decorative: 'yes',
      model: 'mine',
    })) {
      const response = await api.request(path, { method: 'PATCH', json: { metadata: { [field]: value } } });
      const body = await response.text();
      expect([response.status, body.includes(field)]).toEqual([400, true]);
    }
  });
});

describe('a preview', () => {
  it('is a small WebP, upright, 320 wide unless asked otherwise, and never enlarged', async () => {
    const { sessionId, images } = await api.upload([
      'nasty/jpeg-exif-orientation-6.jpg',
      'photos/photo-dogs-portrait.jpg',
      await plainImage('s.png'),
    ]);
    const sizes = await Promise.all(
      [
        [0, ''],
        [0, '?width=100'],
        [1, ''],
        [2, '?width=2048'],
      ].map(async ([index, query]) => {
        const path = `/v1/sessions/${sessionId}/images/${images[Number(index)]?.id}/preview${query}`;
        const response = await api.request(path);
        expect(response.headers.get('Content-Type')).toBe('image/webp');
        expect(response.headers.get('X-Content-Type-Options')).toBe('nosniff');
        const { format, width, height } = await sharp(Buffer.from(await response.arrayBuffer())).metadata();
        return [format, width, (height ?? 0) > (width ?? 0)];
      }),
    );
    expect(sizes).toEqual([
      ['webp', 320, true],
      ['webp', 128, true],
      ['webp', 320, true],
      ['webp', 40, false],
    ]);
  });

  it('that 20 ask for at once is made once', async () => {
    const { sessionId, images } = await api.upload([await plainImage('a.png')]);
    const path = `/v1/sessions/${sessionId}/images/${images[0]?.id}/preview`;
    const answers = await Promise.all(Array.from({ length: 20 }, () => api.request(path)));
    const bodies = await Promise.all(
      answers.map(async (answer) => Buffer.from(await answer.arrayBuffer()).toString('hex')),
    );
    expect(new Set(bodies).size).toBe(1);
    expect(await filesOf(test, sessionId)).toHaveLength(2);
  });
});

it('the list of sessions names their first images and what was done with them, and extends none', async () => {
  const uploaded = await api.upload(await plainImages(5));
  const { sessionId, images } = uploaded;
  const path = `/v1/sessions/${sessionId}`;
  const seen = async () => {
    const { sessions } = await api.readJson<RecentSessions>('/v1/sessions');
    return sessions.find((each) => each.sessionId === sessionId);
  };
  const first = await seen();
  expect(first).toMatchObject({ images: 5, described: 0, exported: false, shared: false });
  expect(first?.firstImages).toEqual(images.slice(0, 4).map(({ id }) => id));
  const metadata = [{ alt: 'A harbour' }, { decorative: true }, { alt: '' }];
  for (const [at, fields] of metadata.entries())
    await api.readJson(`${path}/images/${images[at]?.id}`, { method: 'PATCH', json: { metadata: fields } });
  await api.run('sample', uploaded);
  expect(await seen()).toMatchObject({ described: 2, exported: false, shared: false });
  await api.run('export', uploaded);
  const { id } = await api.readJson<CreatedShare>(`${path}/shares`, { json: {} });
  expect(await seen()).toMatchObject({ exported: true, shared: true });
  await api.request(`${path}/shares/${id}`, { method: 'DELETE' });
  const { expiresAt } = (await seen()) ?? {};
  expect(await seen()).toMatchObject({ shared: false, expiresAt });
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
