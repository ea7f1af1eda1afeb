import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { ImageResult, Session, UploadResult, Variant } from '#contract';
import { filesOf, storedFiles } from '../support/aftermath.ts';
import { type ApiClient, readEvents } from '../support/api-client.ts';
import { createRawClient } from '../support/raw-request.ts';
import { type SharedService, sharedService } from '../support/shared-service.ts';
import { noiseImage } from '../support/small-images.ts';

let test: SharedService;
let api: ApiClient;
beforeAll(async () => {
  test = await sharedService();
  ({ api } = test);
});

/** Uploads pictures whose bytes differ by preset. */
async function uploadNamed(...names: string[]): Promise<UploadResult> {
  const images = names.map((name, index) => noiseImage(name, { width: 120, height: 90, seed: 100 + index }));
  return api.upload(await Promise.all(images));
}

interface Wish {
  kind?: 'export' | 'sample';
  filename?: string;
  settings?: object;
  index?: number;
}

/** Exports one image of a session. */
async function make(
  uploaded: UploadResult,
  { kind = 'export', filename, settings = {}, index = 0 }: Wish = {},
  client = api,
) {
  const { sessionId, images } = uploaded;
  const image = { id: images[index]?.id, ...(filename === undefined ? {} : { metadata: { filename } }) };
  const body = { sessionId, images: [image], settings };
  const response = await client.request(`/v1/sessions/${sessionId}/${kind}`, { json: body });
  const events = [];
  for await (const event of readEvents(response)) events.push(event);
  const { results = [], jobId } = (events.at(-1)?.data ?? {}) as { results?: ImageResult[]; jobId?: string };
  return { jobId, files: results[0]?.variants ?? [] };
}

const rename = ({ sessionId, images }: UploadResult, filename: string, index = 0) =>
  api.readJson(`/v1/sessions/${sessionId}/images/${images[index]?.id}`, {
    method: 'PATCH',
    json: { metadata: { filename } },
  });

/** The hash of the bytes at an address, or the status of a refusal. */
async function hashAt(url: string, init?: RequestInit): Promise<string | number> {
  const response = await api.request(url, init);
  const bytes = Buffer.from(await response.arrayBuffer());
  return response.ok ? createHash('sha256').update(bytes).digest('hex') : response.status;
}

const plain = (namespace: string, filename: string) =>
  `/v1/sessions/${namespace}/download?${new URLSearchParams({ filename })}`;

async function expectTold(told: Variant[]): Promise<void> {
  for (const { url, sha256 } of told) expect([url, await hashAt(url)]).toEqual([url, sha256]);
}

const namesOf = (files: Variant[]) => files.map(({ filename }) => filename);

describe('the address of a result', () => {
  it('leads to its bytes, whatever is exported afterwards under its name or another one', async () => {
    const uploaded = await uploadNamed('beach-0.png');
    const told = (await make(uploaded, { filename: 'x', settings: { preset: 'high' } })).files;
    expect(namesOf(told)).toEqual(['x.webp']);
    told.push(...(await make(uploaded)).files);
    expect(namesOf(told)).toEqual(['x.webp', 'beach-0.webp']);
    told.push(...(await make(uploaded, { filename: 'x', settings: { preset: 'medium' } })).files);
    expect(namesOf(told)).toEqual(['x.webp', 'beach-0.webp', 'x.webp']);
    expect(told[2]?.sha256).not.toBe(told[0]?.sha256);
    await expectTold(told);
    expect(await hashAt(plain(uploaded.sessionId, 'x.webp'))).toBe(told[2]?.sha256);
    expect(await hashAt(plain(uploaded.sessionId, 'beach-0.webp'))).toBe(told[1]?.sha256);
  });

  it('survives random exports, samples, renamings and edits of texts in all formats and sizes', async () => {
    const uploaded = await uploadNamed('one.png', 'two.png');
    const told: Variant[] = [];
    const sizes = { responsive: true, responsiveSizes: [{ width: 48 }, { width: 60, height: 40, fit: 'cover' }] };
    const wishes: Wish[] = [
      { settings: { formats: ['webp', 'jpeg'], ...sizes } },
      { kind: 'sample', settings: { preset: 'low' } },
      { settings: { formats: ['jpeg', 'webp'], preset: 'low' }, filename: 'two' },
      { index: 1, settings: { embedMetadata: true } },
      { kind: 'sample', settings: { preset: 'medium' } },
      { settings: { format: 'original' } },
      { settings: { ...sizes, focalPoint: { x: 0, y: 0 } } },
      { index: 1, filename: 'one', settings: { preset: 'low' } },
      { settings: { maxWidth: 80 } },
      { index: 1, settings: { embedMetadata: true } },
    ];
    for (const [step, wish] of wishes.entries()) {
      told.push(...(await make(uploaded, wish)).files);
      const path = `/v1/sessions/${uploaded.sessionId}/images/${uploaded.images[wish.index ?? 0]?.id}`;
      await api.readJson(path, { method: 'PATCH', json: { metadata: { title: `Title ${step}` } } });
      if (step % 3 === 2) await rename(uploaded, `name-${step % 2}`, step % 2);
    }
    expect(told.length).toBeGreaterThan(15);
    await expectTold(told);
  });

  it('stays the one that its job tells, and changes with a new name in its last part alone', async () => {
    const uploaded = await uploadNamed('a.png');
    const { jobId, files } = await make(uploaded);
    expect(files[0]?.url).toBe(`/v1/sessions/${uploaded.sessionId}/download?filename=${files[0]?.sha256}/a.webp`);
    await make(uploaded, { settings: { preset: 'low' } });
    const read = async () => (await api.readJson<{ results: ImageResult[] }>(`/v1/jobs/${jobId}`)).results[0]?.variants;
    expect(await read()).toEqual(files);
    await rename(uploaded, 'b');
    const now = (await read()) ?? [];
    expect(now[0]?.url).toBe(`/v1/sessions/${uploaded.sessionId}/download?filename=${files[0]?.sha256}/b.webp`);
    await expectTold([...files, ...now]);
  });

  it('is immutable until the session ends, and the plain name is asked for each time', async () => {
    const uploaded = await uploadNamed('a.png');
    const [file] = (await make(uploaded)).files;
    const { url = '', sha256 } = file ?? {};
    const session = await api.readJson<Session>(`/v1/sessions/${uploaded.sessionId}`);
    for (const method of ['GET', 'HEAD']) {
      const { status, headers } = await api.request(url, { method });
      expect([status, headers.get('ETag')]).toEqual([200, `"${sha256}"`]);
      const [, seconds] = /^private, max-age=(\d+), immutable$/.exec(headers.get('Cache-Control') ?? '') ?? [];
      const left = (Date.parse(session.expiresAt) - Date.now()) / 1000;
      expect(Number(seconds)).toBeGreaterThan(left - 60);
      expect(Number(seconds)).toBeLessThanOrEqual(left + 120);
    }
    const raw = createRawClient(test.url);
    const headers = { 'X-API-Key': api.apiKey ?? '', 'If-None-Match': `"${sha256}"` };
    const known = await raw.send(url, { headers });
    raw.close();
    expect([known.status, known.headers['cache-control']]).toEqual([304, expect.stringContaining('immutable')]);
    const part = await api.request(url, { headers: { Range: 'bytes=0-9', 'If-Range': `"${sha256}"` } });
    expect([part.status, (await part.arrayBuffer()).byteLength]).toEqual([206, 10]);
    const named = await api.request(plain(uploaded.sessionId, 'a.webp'));
    expect(named.headers.get('Cache-Control')).toBe('private, no-cache');
  });

  it('saves the file under the name that it has now', async () => {
    const uploaded = await uploadNamed('a.png');
    const [file] = (await make(uploaded)).files;
    await rename(uploaded, 'golden gate, 2');
    const { headers } = await api.request(file?.url ?? '');
    expect(headers.get('Content-Disposition')).toBe('attachment; filename="golden gate, 2.webp"');
  });

  it('of bytes that the namespace never had, or of a name that is not one, is 404', async () => {
    const uploaded = await uploadNamed('a.png');
    const [file] = (await make(uploaded)).files;
    const { sha256 = '', url = '' } = file ?? {};
    expect(await hashAt(plain(`${uploaded.sessionId}-sample`, `${sha256}/a.webp`))).toBe(404);
    expect(await hashAt(plain(uploaded.sessionId, `${'0'.repeat(64)}/a.webp`))).toBe(404);
    for (const value of [`${sha256}/`, sha256, `/${sha256}/a.webp`, `${sha256}/../a.webp`, `${sha256}//a.webp`])
      expect([value, await hashAt(plain(uploaded.sessionId, value))]).toEqual([value, 404]);
    const { apiKey } = await test.createAccount();
    expect(await hashAt(url, { headers: { 'X-API-Key': apiKey } })).toBe(404);
  });
});

describe('a file name', () => {
  it('belongs to an image in all presets and settings; only another image gets a number', async () => {
    const uploaded = await uploadNamed('a.png', 'b.png');
    for (const preset of ['high', 'low', 'medium'])
      expect(namesOf((await make(uploaded, { filename: 'x', settings: { preset } })).files)).toEqual(['x.webp']);
    const other = await make(uploaded, { filename: 'X', index: 1 });
    expect(namesOf(other.files)).toEqual(['X-2.webp']);
    expect(namesOf((await make(uploaded, { filename: 'x', index: 1, settings: { preset: 'low' } })).files)).toEqual([
      'x-2.webp',
    ]);
    const again = await make(uploaded, { filename: 'x', settings: { preset: 'high' } });
    expect(namesOf(again.files)).toEqual(['x.webp']);
    expect(await hashAt(plain(uploaded.sessionId, 'x.webp'))).toBe(again.files[0]?.sha256);
  });

  it('of a sample belongs to the image, too, and never meets that of an export', async () => {
    const uploaded = await uploadNamed('a.png');
    const told = [];
    for (const preset of ['high', 'low']) {
      const { files } = await make(uploaded, { kind: 'sample', settings: { preset } });
      expect(namesOf(files)).toEqual(['a.webp']);
      told.push(...files);
    }
    told.push(...(await make(uploaded, { settings: { preset: 'maximum' } })).files);
    await expectTold(told);
    expect(await hashAt(plain(`${uploaded.sessionId}-sample`, 'a.webp'))).toBe(told[1]?.sha256);
  });

  it('that was renamed and is given again leads to the newest file that had it', async () => {
    const uploaded = await uploadNamed('a.png');
    const first = (await make(uploaded)).files;
    await rename(uploaded, 'b');
    expect(await hashAt(plain(uploaded.sessionId, 'a.webp'))).toBe(first[0]?.sha256);
    const second = (await make(uploaded, { filename: 'a', settings: { preset: 'low' } })).files;
    expect(await hashAt(plain(uploaded.sessionId, 'a.webp'))).toBe(second[0]?.sha256);
    expect(await hashAt(plain(uploaded.sessionId, 'b.webp'))).toBe(first[0]?.sha256);
    const third = (await make(uploaded, { filename: 'a' })).files;
    expect(third).toMatchObject([{ filename: 'a.webp', sha256: first[0]?.sha256 }]);
    expect(await hashAt(plain(uploaded.sessionId, 'a.webp'))).toBe(first[0]?.sha256);
    await expectTold([...first, ...second, ...third]);
  });
});

describe('files that are kept for their addresses', () => {
  it('are counted once each, and are gone with their session', async () => {
    const { accountId, api: own } = await test.createAccount();
    const uploaded = await own.upload([await noiseImage('a.png', { width: 120, height: 90 })]);
    const before = (await storedFiles(test)).length;
    const database = await test.openDatabase();
    onTestFinished(() => database.close());
    const stored = async () =>
      (await database.sessions.findLive(accountId, uploaded.sessionId, new Date()))?.bytes ?? 0;
    const start = await stored();
    const told: Variant[] = [];
    for (const preset of ['high', 'low', 'high'])
      told.push(...(await make(uploaded, { settings: { preset } }, own)).files);
    const sizes = new Map(told.map(({ sha256, size }) => [sha256, size]));
    expect(sizes.size).toBe(2);
    const bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
    expect((await stored()) - start).toBe(bytes);
    expect((await storedFiles(test)).length - before).toBe(2);
    await own.request(`/v1/sessions/${uploaded.sessionId}`, { method: 'DELETE' });
    for (const { url } of told) expect((await own.request(url)).status).toBe(404);
    expect(await filesOf(test, uploaded.sessionId)).toEqual([]);
    expect((await storedFiles(test)).length).toBe(before - 1);
  });
});
