import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import { startTestService } from '../support/service.ts';
import { plainImages } from '../support/small-images.ts';
import { type OwnS3Server, startOwnS3Server } from './s3-server.ts';

let s3: OwnS3Server;
let proxy: FaultProxy;
beforeAll(async () => {
  s3 = await startOwnS3Server();
  proxy = await startFaultProxy(s3.endpoint);
});
afterAll(async () => {
  await proxy.close();
  await s3.close();
});

const warnings: { msg: string; level: number; err?: unknown }[] = [];

async function start(env: Record<string, string>) {
  warnings.length = 0;
  const log = (line: string) => {
    const entry = JSON.parse(line);
    if (entry.level >= 40) warnings.push(entry);
  };
  const server = await startTestService({ LOG_LEVEL: 'warn', SWEEP_SECONDS: '1', ...env }, { log });
  onTestFinished(() => server.close());
  return server;
}

const ofStore = () => warnings.map(({ msg }) => msg).filter((msg) => msg.includes('s3://'));

it('what is told as deleted is deleted as soon as the key may do it, and the operator is told', async () => {
  const { api, openDatabase } = await start(s3.env('denied', proxy.url, 'noDelete'));
  const uploaded = await api.upload(await plainImages(2));
  await api.run('export', uploaded, { format: 'webp' });
  proxy.reset();
  const deleted = await api.request(`/v1/sessions/${uploaded.sessionId}`, { method: 'DELETE' });
  expect(deleted.status).toBe(204);
  expect((await api.request(`/v1/sessions/${uploaded.sessionId}`)).status).toBe(404);
  const database = await openDatabase();
  onTestFinished(() => database.close());
  await expect.poll(() => database.refusedRemovals.count()).toBe(4);
  // One from the try at the start, one from the first file that stayed.
  expect(ofStore()).toEqual(
    Array(2).fill(expect.stringMatching(/may not delete files, so .* allow them s3:DeleteObject/)),
  );
  s3.forbid('noDelete', []);
  await expect.poll(() => database.refusedRemovals.count()).toBe(0);
  expect(warnings.filter(({ err }) => err !== undefined)).toEqual([]);
});

it('a key that loses its right while the service runs is a 503 with one line; a full store is a 507', async () => {
  const { api } = await start(s3.env('revoked', proxy.url, 'whole'));
  const uploaded = await api.upload(await plainImages(1));
  s3.forbid('whole', ['store']);
  const form = async () => {
    const body = new FormData();
    for (const { bytes, name } of await plainImages(1))
      body.append('images', new Blob([bytes as Uint8Array<ArrayBuffer>]), name);
    return api.request('/v1/sessions', { method: 'POST', body });
  };
  const refused = await form();
  expect([refused.status, refused.headers.get('Retry-After')]).toEqual([503, '5']);
  expect(await refused.json()).toMatchObject({ code: 'storage_unavailable' });
  const running = api.run('export', uploaded, { format: 'webp' });
  await expect.poll(() => s3.seen.filter(({ method }) => method === 'PUT').length).toBeGreaterThan(4);
  expect(ofStore()).toEqual([expect.stringMatching(/may not store files; allow them s3:PutObject/)]);
  s3.forbid('whole', []);
  expect((await running).last).toMatchObject({ event: 'complete', data: { summary: { completed: 1 } } });
  proxy.inject({ kind: 'answer', status: 507 }, { method: 'PUT' });
  const full = await form();
  expect([full.status, await full.json()]).toMatchObject([507, { code: 'insufficient_storage' }]);
});

it('a preview that is there is one request of the store', async () => {
  const { api } = await start(s3.env('previews', s3.endpoint));
  const { sessionId, images } = await api.upload(await plainImages(1));
  const preview = `/v1/sessions/${sessionId}/images/${images[0]?.id}/preview?width=128`;
  const first = Buffer.from(await (await api.request(preview)).arrayBuffer());
  const at = s3.seen.length;
  const again = await api.request(preview);
  expect(Buffer.from(await again.arrayBuffer())).toEqual(first);
  const asked = s3.seen.slice(at).filter(({ url }) => url.includes('previews'));
  expect(asked.map(({ method }) => method)).toEqual(['GET']);
  const etag = again.headers.get('ETag') ?? '';
  expect((await api.request(preview, { headers: { 'If-None-Match': etag } })).status).toBe(304);
  const part = await api.request(preview, { headers: { Range: 'bytes=2-5' } });
  expect([part.status, Buffer.from(await part.arrayBuffer())]).toEqual([206, first.subarray(2, 6)]);
});
