import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import type { CreatedShare, SharedImages, ShareList, UploadResult } from '#contract';
import type { ApiClient } from '../support/api-client.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { plainImage } from '../support/small-images.ts';

let test: TestService;
let api: ApiClient;
let uploaded: UploadResult;
const logged: string[] = [];
beforeAll(async () => {
  test = await startTestService({ LOG_LEVEL: 'debug' }, { log: (line) => logged.push(line) });
  ({ api } = await test.createAccount({ credits: 100 }));
  uploaded = await api.upload(await Promise.all(['a.png', 'b.png'].map((name) => plainImage(name, { width: 300 }))));
  return () => test.close();
});

const share = (days?: number, { sessionId } = uploaded) =>
  api.readJson<CreatedShare>(`/v1/sessions/${sessionId}/shares`, { json: days === undefined ? {} : { days } });
const tokenOf = ({ url }: CreatedShare) => new URL(url).hash.slice(1);
const list = ({ sessionId } = uploaded) => api.readJson<ShareList>(`/v1/sessions/${sessionId}/shares`);

/** Requests what the page of a link requests. */
function visit(token: string, path: string, init: RequestInit & { json?: unknown } = {}): Promise<Response> {
  const { json, ...rest } = init;
  const headers = new Headers({ 'X-Share-Token': token, 'Sec-Fetch-Site': 'same-origin' });
  if (json !== undefined) headers.set('Content-Type', 'application/json');
  for (const [name, value] of new Headers(init.headers)) headers.set(name, value);
  const body = json === undefined ? {} : { method: 'POST', body: JSON.stringify(json) };
  return fetch(test.url + path, { ...rest, ...body, headers });
}

async function openShare(token: string): Promise<SharedImages> {
  const response = await visit(token, '/shared/images');
  expect(response.status).toBe(200);
  return (await response.json()) as SharedImages;
}

describe('a link to a session', () => {
  it('shows texts, files and answers, and the editor reads the answers', async () => {
    const [first, second] = uploaded.images;
    const path = `/v1/sessions/${uploaded.sessionId}/images/${first?.id}`;
    await api.readJson(path, { method: 'PATCH', json: { metadata: { alt: 'A wall' } } });
    const made = await share();
    const token = tokenOf(made);
    expect(made.url).toMatch(new RegExp(`^${test.url}/share/${made.id}#iwv_\\w{43}$`));
    expect(Date.parse(made.expiresAt) - Date.parse(made.createdAt)).toBe(7 * 86_400_000);
    const before = await openShare(token);
    expect(before.images.map(({ id, result, answer }) => [id, result, answer])).toEqual([
      [first?.id, null, null],
      [second?.id, null, null],
    ]);
    expect(before.images[0]?.texts.alt).toBe('A wall');
    await api.run('sample', uploaded);
    const { images } = await openShare(token);
    expect(images[0]?.result).toMatchObject({ kind: 'sample', format: 'webp', width: 300 });
    const result = await visit(token, `/shared/images/${first?.id}/result`);
    expect([result.status, result.headers.get('Content-Type')]).toEqual([200, 'image/webp']);
    expect((await result.arrayBuffer()).byteLength).toBe(images[0]?.result?.size);
    // Whoever opened the link before a later export gets the file that was shown.
    const shown = images[0]?.result?.sha256;
    await api.run('export', { ...uploaded, images: uploaded.images.slice(0, 1) }, { format: 'jpeg' });
    const later = await visit(token, `/shared/images/${first?.id}/result?sha256=${shown}`);
    expect([later.status, later.headers.get('ETag')]).toEqual([200, `"${shown}"`]);
    expect(later.headers.get('Content-Type')).toBe('image/webp');
    const newest = await visit(token, `/shared/images/${first?.id}/result`);
    expect(newest.headers.get('Content-Type')).toBe('image/jpeg');
    expect((await visit(token, `/shared/images/${first?.id}/result?sha256=${'0'.repeat(64)}`)).status).toBe(404);
    expect((await visit(token, `/shared/images/${first?.id}/result?sha256=x`)).status).toBe(400);

    const { textsVersion } = images[0] as SharedImages['images'][number];
    const comment = '<script>alert(1)</script> & more';
    const given = await visit(token, `/shared/images/${first?.id}/answer`, {
      json: { verdict: 'approved', comment, textsVersion },
    });
    expect([given.status, await given.json()]).toMatchObject([200, { verdict: 'approved', comment, isCurrent: true }]);
    const image = await api.readJson<{ images: unknown[] }>(`/v1/sessions/${uploaded.sessionId}`);
    await api.readJson(path, { method: 'PATCH', json: { metadata: { alt: 'Another wall' } } });
    // An approval changes nothing by itself, stays, and is of an earlier text now.
    expect(image.images[0]).toMatchObject({ metadata: { alt: 'A wall', source: { alt: 'user' } } });
    const answers = (await list()).shares.find(({ id }) => id === made.id)?.answers;
    expect(answers).toMatchObject([{ imageId: first?.id, verdict: 'approved', comment, isCurrent: false }]);
    const late = await visit(token, `/shared/images/${first?.id}/answer`, {
      json: { verdict: 'change', textsVersion },
    });
    expect(await late.json()).toMatchObject({ verdict: 'change', isCurrent: false });
    expect((await list()).shares.find(({ id }) => id === made.id)?.answers).toHaveLength(1);
  });

  it('delivers the original without what its file says of place and camera', async () => {
    const place = { GPSLatitude: '51/1 30/1 0/1', GPSLatitudeRef: 'N', GPSMapDatum: 'SecretPlace' };
    const photo = sharp({ create: { width: 200, height: 100, channels: 3, background: '#456' } });
    const bytes = await photo
      .jpeg()
      .withExif({ IFD0: { Model: 'SecretCamera' }, IFD3: place })
      .toBuffer();
    expect([bytes.includes('SecretPlace'), bytes.includes('SecretCamera')]).toEqual([true, true]);
    const own = await api.upload([{ name: 'photo.jpg', bytes }]);
    const token = tokenOf(await share(1, own));
    const response = await visit(token, `/shared/images/${own.images[0]?.id}/original`);
    const seen = Buffer.from(await response.arrayBuffer());
    expect([response.status, response.headers.get('Content-Security-Policy')]).toEqual([
      200,
      "sandbox; default-src 'none'",
    ]);
    expect([seen.includes('SecretPlace'), seen.includes('SecretCamera')]).toEqual([false, false]);
    const pixels = (file: Buffer) => sharp(file).raw().toBuffer();
    expect(await pixels(seen)).toEqual(await pixels(bytes));
    const preview = await visit(token, `/shared/images/${own.images[0]?.id}/preview?width=64`);
    expect([preview.status, preview.headers.get('Content-Type')]).toEqual([200, 'image/webp']);
  });

  it('keeps its session until it ends, and no longer once it is revoked', async () => {
    const expiresAt = async () =>
      Date.parse((await api.readJson<{ expiresAt: string }>(`/v1/sessions/${uploaded.sessionId}`)).expiresAt);
    const month = await share(30);
    expect(await expiresAt()).toBe(Date.parse(month.expiresAt));
    const week = await share(7);
    const path = `/v1/sessions/${uploaded.sessionId}/shares/`;
    expect((await api.request(path + month.id, { method: 'DELETE' })).status).toBe(204);
    expect(await expiresAt()).toBe(Date.parse(week.expiresAt));
    expect((await visit(tokenOf(month), '/shared/images')).status).toBe(404);
    expect((await visit(tokenOf(week), '/shared/images')).status).toBe(200);
    for (const { id, revokedAt } of (await list()).shares) {
      if (revokedAt === null) await api.request(path + id, { method: 'DELETE' });
    }
    expect(await expiresAt()).toBeLessThan(Date.now() + 86_500_000);
    expect((await api.request(`${path}share_${'x'.repeat(22)}`, { method: 'DELETE' })).status).toBe(404);
  });

  it('lasts 1 to 30 days, and a session has at most 20', async () => {
    const own = await api.upload([await plainImage('d.png')]);
    const path = `/v1/sessions/${own.sessionId}/shares`;
    for (const days of [0, 31, 1.5, 'x']) expect((await api.request(path, { json: { days } })).status).toBe(400);
    for (let made = 0; made < 20; made += 1) await share(1, own);
    const full = await api.request(path, { json: {} });
    expect([full.status, await full.json()]).toMatchObject([409, { code: 'share_limit_reached', limit: 20 }]);
  });
});

describe('whoever has a link', () => {
  it('reaches nothing else of the account, with the link in any place', async () => {
    const token = tokenOf(await share());
    const other = await api.upload([await plainImage('secret.png')]);
    const imageId = other.images[0]?.id;
    const { sessionId } = uploaded;
    for (const part of ['preview', 'original', 'result']) {
      expect((await visit(token, `/shared/images/${imageId}/${part}`)).status).toBe(404);
      expect((await visit(token, `/shared/images/..%2f${imageId}/${part}`)).status).toBe(404);
    }
    const answer = { verdict: 'approved', textsVersion: '0123456789abcdef' };
    expect((await visit(token, `/shared/images/${imageId}/answer`, { json: answer })).status).toBe(404);
    const routes: [string, string][] = [
      ['GET', `/v1/sessions/${sessionId}`],
      ['DELETE', `/v1/sessions/${sessionId}`],
      ['GET', `/v1/sessions/${sessionId}/shares`],
      ['POST', `/v1/sessions/${sessionId}/shares`],
      ['POST', `/v1/sessions/${sessionId}/images`],
      ['POST', `/v1/sessions/${sessionId}/export`],
      ['POST', `/v1/sessions/${sessionId}/sample`],
      ['POST', `/v1/sessions/${sessionId}/analyze`],
      ['GET', `/v1/sessions/${sessionId}/download?filename=a.webp`],
      ['POST', '/v1/sessions'],
      ['POST', '/v1/tokens'],
      ['GET', '/v1/credits/balance'],
      ['GET', '/account/profile'],
      ['GET', '/account/keys'],
      ['GET', '/account/operator/accounts'],
    ];
    for (const [method, path] of routes) {
      const places: Record<string, string>[] = [{}, { 'X-API-Key': token }, { Cookie: `__Host-imagewright=${token}` }];
      for (const headers of places) {
        const { status } = await visit(token, path, { method, headers });
        expect([method, path, [401, 403].includes(status)]).toEqual([method, path, true]);
      }
    }
    // Neither is a key or a session token a link.
    for (const wrong of [api.apiKey ?? '', '', 'iwv_', `iwv_${'a'.repeat(43)}`, `${token}x`, token.toLowerCase()])
      expect((await visit(wrong, '/shared/images')).status).toBe(404);
  });

  it('gets one answer for unknown, revoked, expired and suspended, and no hash is the token', async () => {
    const { api: own, accountId } = await test.createAccount();
    const mine = await own.upload([await plainImage('f.png')]);
    const path = `/v1/sessions/${mine.sessionId}/shares`;
    const [revoked, expired, last] = await Promise.all(
      [1, 2, 3].map(() => own.readJson<CreatedShare>(path, { json: {} })),
    );
    const refusal = async (token: string) => {
      const response = await visit(token, '/shared/images');
      const { requestId: _, ...body } = (await response.json()) as { requestId: string };
      return { status: response.status, ...body };
    };
    const unknown = await refusal(`iwv_${'b'.repeat(43)}`);
    expect(unknown).toMatchObject({ status: 404, code: 'share_not_found' });
    await own.request(`${path}/${revoked?.id}`, { method: 'DELETE' });
    expect(await refusal(tokenOf(revoked as CreatedShare))).toEqual(unknown);
    const database = await test.openDatabase();
    const stored = await database.shares.findOfSession(accountId, mine.sessionId);
    for (const { url } of [revoked, expired, last] as CreatedShare[])
      expect(JSON.stringify(stored)).not.toContain(url.split('iwv_')[1]);
    const [record] = stored.filter(({ _id }) => _id === expired?.id);
    await database.shares.remove(expired?.id ?? '');
    if (record) await database.shares.insert({ ...record, expiresAt: new Date(Date.now() - 1) });
    expect(await refusal(tokenOf(expired as CreatedShare))).toEqual(unknown);
    expect((await visit(tokenOf(last as CreatedShare), '/shared/images')).status).toBe(200);
    await test.service.accounts.setSuspended(accountId, true);
    await database.close();
    expect(await refusal(tokenOf(last as CreatedShare))).toEqual(unknown);
  });

  it('is refused from other pages, and no origin may read the answer', async () => {
    const token = tokenOf(await share());
    for (const headers of [{ 'Sec-Fetch-Site': 'cross-site' }, { 'Sec-Fetch-Site': 'same-site' }])
      expect((await visit(token, '/shared/images', { headers })).status).toBe(403);
    const preflight = await fetch(`${test.url}/shared/images`, {
      method: 'OPTIONS',
      headers: {
        Origin: 'https://evil.example',
        'Access-Control-Request-Method': 'GET',
        'Access-Control-Request-Headers': 'x-share-token',
      },
    });
    expect(preflight.headers.get('Access-Control-Allow-Origin')).toBeNull();
    const read = await visit(token, '/shared/images');
    expect(read.headers.get('Access-Control-Allow-Origin')).toBeNull();
    expect(read.headers.get('Cache-Control')).toBe('private, no-store');
  });

  it('cannot fill the disk or flood the editor with answers', async () => {
    const token = tokenOf(await share());
    const image = (await openShare(token)).images[1] as SharedImages['images'][number];
    const answer = (comment: string) =>
      visit(token, `/shared/images/${image.id}/answer`, {
        json: { verdict: 'change', comment, textsVersion: image.textsVersion },
      });
    expect((await answer('x'.repeat(2001))).status).toBe(400);
    const statuses = [];
    for (let sent = 0; sent < 61; sent += 1) statuses.push((await answer('x'.repeat(2000))).status);
    expect([statuses.includes(200), statuses.at(-1)]).toEqual([true, 429]);
    const stored = (await list()).shares
      .flatMap(({ answers }) => answers)
      .filter(({ imageId }) => imageId === image.id);
    expect(stored).toHaveLength(1);
  });

  it('of another account is nobody', async () => {
    const { api: foreign } = await test.createAccount({ credits: 1 });
    const path = `/v1/sessions/${uploaded.sessionId}/shares`;
    const made = await share();
    const responses = await Promise.all([
      foreign.request(path),
      foreign.request(path, { json: {} }),
      foreign.request(`${path}/${made.id}`, { method: 'DELETE' }),
    ]);
    expect(responses.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect((await visit(tokenOf(made), '/shared/images')).status).toBe(200);
  });
});

it('a deleted session takes its links along', async () => {
  const own = await api.upload([await plainImage('e.png')]);
  const token = tokenOf(await share(30, own));
  await api.request(`/v1/sessions/${own.sessionId}`, { method: 'DELETE' });
  expect((await visit(token, '/shared/images')).status).toBe(404);
});

it('no link is in the log', () => {
  expect(logged.some((line) => line.includes('/shared/images'))).toBe(true);
  expect(logged.filter((line) => /iwv_\w{20}/.test(line))).toEqual([]);
});
