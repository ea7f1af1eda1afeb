import { beforeAll, describe, expect, it } from 'vitest';
import type { EditedImage, ImageResult, Job, UploadResult } from '#contract';
import { type ApiClient, readEvents } from '../support/api-client.ts';
import { sharedService } from '../support/shared-service.ts';
import { plainImage } from '../support/small-images.ts';

let api: ApiClient;
beforeAll(async () => {
  ({ api } = await sharedService());
});

async function uploadNamed(...names: string[]): Promise<UploadResult> {
  const images = names.map((name, index) => plainImage(name, { width: 600, colour: `#${index + 17}4466` }));
  return api.upload(await Promise.all(images));
}

function rename({ sessionId, images }: UploadResult, filename: string | null, index = 0): Promise<EditedImage> {
  const path = `/v1/sessions/${sessionId}/images/${images[index]?.id}`;
  return api.readJson(path, { method: 'PATCH', json: { metadata: { filename } } });
}

/** The SHA-256 by which a file is served, or the status of a refusal. */
async function hashOf(namespace: string, filename: string): Promise<string | number> {
  const response = await api.request(`/v1/sessions/${namespace}/download?${new URLSearchParams({ filename })}`);
  await response.arrayBuffer();
  return response.ok ? (response.headers.get('ETag') ?? '') : response.status;
}

async function filesOf(jobId: string) {
  const { results } = await api.readJson<Pick<Job, 'jobId'> & { results?: ImageResult[] }>(`/v1/jobs/${jobId}`);
  return (results ?? []).map((result) => ({ filename: result.filename, files: result.variants }));
}

const responsive = { responsive: true, responsiveSizes: [480] };

describe('an edited file name', () => {
  it('renames what was exported, free of charge: same bytes, the old name still downloads', async () => {
    const uploaded = await uploadNamed('DSC1.png');
    const { jobId, last } = await api.run('export', uploaded, responsive);
    const before = await filesOf(jobId);
    const balance = await api.balance();
    const edited = await rename(uploaded, 'golden-gate');
    expect(edited.renamedFiles).toEqual([
      { from: 'DSC1.webp', to: 'golden-gate.webp' },
      { from: 'DSC1-480w.webp', to: 'golden-gate-480w.webp' },
    ]);
    const [after] = await filesOf(jobId);
    expect(after?.filename).toBe('golden-gate.webp');
    expect(after?.files.map(({ filename }) => filename)).toEqual(['golden-gate.webp', 'golden-gate-480w.webp']);
    expect(after?.files.map(({ sha256 }) => sha256)).toEqual(before[0]?.files.map(({ sha256 }) => sha256));
    for (const { url, path, sha256, filename } of after?.files ?? []) {
      expect((await api.request(url)).headers.get('ETag')).toBe(`"${sha256}"`);
      expect(path).toBe(`sessions/${uploaded.sessionId}/exports/${filename}`);
    }
    for (const { filename, sha256 } of before[0]?.files ?? [])
      expect(await hashOf(uploaded.sessionId, filename.toUpperCase())).toBe(`"${sha256}"`);
    expect(await api.balance()).toBe(balance);
    // A stream that is replayed tells the new names, too.
    const replay = await api.request(`/v1/jobs/${last.data.jobId}/events`);
    const events = [];
    for await (const event of readEvents(replay)) events.push(event);
    expect(events.at(-1)?.data).toMatchObject({ results: [{ filename: 'golden-gate.webp' }] });
  });

  it('takes a free name without regard to case, and never one that led to other files', async () => {
    const uploaded = await uploadNamed('a.png', 'b.png');
    const { jobId } = await api.run('export', uploaded);
    await rename(uploaded, 'C');
    expect((await rename(uploaded, 'c', 1)).renamedFiles).toEqual([{ from: 'b.webp', to: 'c-2.webp' }]);
    expect((await rename(uploaded, 'A', 1)).renamedFiles?.at(-1)).toEqual({ from: 'c-2.webp', to: 'A-2.webp' });
    expect((await filesOf(jobId)).map(({ filename }) => filename)).toEqual(['C.webp', 'A-2.webp']);
    // Back: its own former name is free for it alone.
    expect((await rename(uploaded, null)).renamedFiles).toEqual([{ from: 'C.webp', to: 'a.webp' }]);
    expect((await filesOf(jobId)).map(({ filename }) => filename)).toEqual(['a.webp', 'A-2.webp']);
    expect((await rename(uploaded, null)).renamedFiles).toEqual([{ from: 'C.webp', to: 'a.webp' }]);
  });

  it('leaves samples and other edits alone, and a new export costs a credit and keeps all names', async () => {
    const uploaded = await uploadNamed('a.png');
    const sample = await api.run('sample', uploaded);
    await api.run('export', uploaded);
    await rename(uploaded, 'b');
    expect(await hashOf(`${uploaded.sessionId}-sample`, 'a.webp')).toMatch(/^"/);
    expect(await filesOf(sample.jobId)).toMatchObject([{ filename: 'a.webp' }]);
    const path = `/v1/sessions/${uploaded.sessionId}/images/${uploaded.images[0]?.id}`;
    const other = await api.readJson<EditedImage>(path, { method: 'PATCH', json: { metadata: { title: 'T' } } });
    expect(other).not.toHaveProperty('renamedFiles');
    const balance = await api.balance();
    const { last } = await api.run('export', uploaded);
    expect(last.data).toMatchObject({ results: [{ filename: 'b.webp', creditsCharged: 1 }] });
    expect(await api.balance()).toBe(balance - 1);
    expect(await hashOf(uploaded.sessionId, 'a.webp')).toBe(await hashOf(uploaded.sessionId, 'b.webp'));
    expect(await hashOf(uploaded.sessionId, 'a.webp')).toMatch(/^"/);
  });

  it('reaches an export that is running, whatever it does at that moment', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `n${index}.png`);
    const uploaded = await uploadNamed(...names);
    const body = api.exportBody(uploaded, responsive);
    const stream = await api.request(`/v1/sessions/${uploaded.sessionId}/export`, { json: body });
    const jobId = stream.headers.get('X-Job-Id') ?? '';
    const renamed = (async () => {
      for (const index of names.keys()) await rename(uploaded, `new-${index}`, index);
    })();
    const events = [];
    for await (const event of readEvents(stream)) events.push(event);
    await renamed;
    const wanted = names.map((_, index) => `new-${index}.webp`);
    expect((await filesOf(jobId)).map(({ filename }) => filename)).toEqual(wanted);
    const files = (await filesOf(jobId)).flatMap((result) => result.files);
    for (const { filename, sha256 } of files) expect(await hashOf(uploaded.sessionId, filename)).toBe(`"${sha256}"`);
  });

  it('has the name of the last edit when several arrive at once', async () => {
    const uploaded = await uploadNamed('a.png');
    const { jobId } = await api.run('export', uploaded, responsive);
    await Promise.all(Array.from({ length: 10 }, (_, index) => rename(uploaded, `x${index}`)));
    const { images } = await api.readJson<{ images: EditedImage[] }>(`/v1/sessions/${uploaded.sessionId}`);
    expect((await filesOf(jobId))[0]?.filename).toBe(`${images[0]?.metadata?.filename}.webp`);
  });
});
