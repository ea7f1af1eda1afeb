import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import type { CreatedShare, Image, RecentSessions, Session } from '#contract';
import { filesOf } from '../support/aftermath.ts';
import { type ApiClient, formOf } from '../support/api-client.ts';
import { type SharedService, sharedService } from '../support/shared-service.ts';
import { plainImage, plainImages } from '../support/small-images.ts';

let test: SharedService;
let api: ApiClient;
beforeAll(async () => {
  test = await sharedService();
  ({ api } = test);
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

it('that is deleted takes its jobs along, also while a job still has to stop', async () => {
  const uploaded = await api.upload([await plainImage('a.png')]);
  const { sessionId } = uploaded;
  const order = { images: [{ id: uploaded.images[0]?.id }], settings: {} };
  const send = () => {
    const headers = { 'Idempotency-Key': `deleted ${sessionId}` };
    return api.request(`/v1/sessions/${sessionId}/export`, { method: 'POST', json: order, headers });
  };
  const first = await send();
  const jobId = first.headers.get('X-Job-Id');
  await first.text();
  // A server that dies in the middle of a deletion leaves this.
  const database = await test.openDatabase();
  await database.sessions.markDeleted(sessionId, new Date(), []);
  await database.close();
  for (const path of ['', '/events']) expect((await api.request(`/v1/jobs/${jobId}${path}`)).status).toBe(404);
  expect((await api.request(`/v1/jobs/${jobId}/cancel`, { method: 'POST' })).status).toBe(404);
  expect((await send()).status).toBe(404);
});
