import { expect, test } from 'vitest';
import type { ImageResult, Job } from '#contract';
import {
  apiError,
  completed,
  connectionError,
  createScriptedService,
  describedAs,
  failedResult,
  imageOf,
  jobOf,
  progressed,
  resultOf,
  type ScriptedService,
} from './scripted-service.ts';
import { startOptimizer } from './started-optimizer.ts';

const texts = (filename: string | null) => ({ filename, title: null, alt: null });
const named = (id: string, filename: string | null = null) => resultOf(id, { metadata: texts(filename) });

/** A page that shows a session of images, before anything else happens to it. */
async function openPage(service: ScriptedService, options: Parameters<typeof startOptimizer>[0] = {}) {
  const page = startOptimizer(options, { service });
  await page.optimizer.attach('sess_1');
  await page.env.advance(20);
  return page;
}

function withImages(count = 3) {
  const service = createScriptedService();
  service.session.images = Array.from({ length: count }, (_, index) => imageOf(`img_${index + 1}`));
  return service;
}

/** What another page has done: a job, the newest of the session. */
function elsewhere(service: ScriptedService, jobId: string, changes: Partial<Job> = {}) {
  const job = jobOf(jobId, changes);
  service.jobs.set(jobId, job);
  const { results: _, ...listed } = job;
  service.session.jobs = [listed, ...service.session.jobs.filter((known) => known.jobId !== jobId)];
}

const ELSEWHERE = { id: 'elsewhere', kind: 'warning', message: 'notice.elsewhere' };

test('an export that another page has begun is joined instead of being paid for again, and that is said', async () => {
  const service = withImages();
  const { optimizer, env, said } = await openPage(service);
  elsewhere(service, 'job_a', { status: 'processing', total: 3 });
  const exported = optimizer.exportImages();
  await env.advance(2500);
  expect(service.follows.map(({ jobId }) => jobId)).toEqual(['job_a']);
  expect(optimizer).toMatchObject({ state: 'exporting', notices: [ELSEWHERE] });
  expect(said.map(({ text }) => text)).toContain('notice.elsewhere');
  const results = ['img_1', 'img_2', 'img_3'].map((id) => named(id));
  service.follows[0]?.run.push(progressed('img_1', 'optimize'));
  elsewhere(service, 'job_a', { results });
  service.follows[0]?.run.push(completed(results));
  expect(await exported).toMatchObject({ succeeded: 3, failed: 0 });
  expect(service.exports).toEqual([]);
  expect(optimizer).toMatchObject({ state: 'done', outcome: { succeeded: 3 }, notices: [ELSEWHERE] });
});

test('what another page has exported meanwhile is shown instead of being paid for again', async () => {
  const service = withImages();
  const { optimizer, details } = await openPage(service);
  const results = ['img_1', 'img_2', 'img_3'].map((id) => named(id));
  elsewhere(service, 'job_a', { results });
  expect(await optimizer.exportImages()).toMatchObject({ succeeded: 3, credits: 3 });
  expect(service.exports).toEqual([]);
  expect(optimizer).toMatchObject({ state: 'done', outcome: { succeeded: 3 }, notices: [ELSEWHERE] });
  expect(details('io-before-export')).toEqual([]);
  expect(details('io-export')).toMatchObject([{ succeeded: 3, results }]);
});

test('after that outcome, other settings or names are exported as ever', async () => {
  const service = withImages();
  const { optimizer, env, ids } = await openPage(service);
  elsewhere(service, 'job_a', { results: ['img_1', 'img_2', 'img_3'].map((id) => named(id)) });
  await optimizer.exportImages();
  optimizer.setSettings({ format: 'avif' });
  void optimizer.exportImages();
  await env.advance(20);
  expect(service.exports.map(({ images }) => images.length)).toEqual([3]);
  expect(optimizer.notices).toEqual([]);
  service.exports[0]?.run.push(completed(['img_1', 'img_2', 'img_3'].map((id) => named(id))));
  await env.advance(20);
  optimizer.setMetadata(ids()[1] ?? '', 'filename', 'bridge');
  service.session.images = service.session.images.map((image) =>
    image.id === 'img_2' ? { ...image, metadata: { ...describedAs(''), ...texts('bridge') } } : image,
  );
  void optimizer.exportImages();
  await env.advance(20);
  expect(service.exports[1]?.images).toEqual(['img_2']);
});

test('going back to settings that were exported before shows those files again, for nothing', async () => {
  const service = withImages(1);
  const { optimizer, env } = await openPage(service);
  for (const format of ['webp', 'avif'] as const) {
    optimizer.setSettings({ format });
    void optimizer.exportImages();
    await env.advance(20);
    service.exports.at(-1)?.run.push(completed([resultOf('img_1', { ...named('img_1'), format })]));
    await env.advance(20);
  }
  optimizer.setSettings({ format: 'webp' });
  expect(await optimizer.exportImages()).toMatchObject({ succeeded: 1 });
  expect(optimizer.results).toMatchObject([{ format: 'webp' }]);
  expect(service.exports).toHaveLength(2);
});

test('an export with other settings does not count, whether it runs or has ended', async () => {
  const service = withImages();
  const { optimizer, env } = await openPage(service, { settings: { format: 'avif' } });
  elsewhere(service, 'job_a', { results: [named('img_1')] });
  elsewhere(service, 'job_b', { status: 'processing' });
  void optimizer.exportImages();
  await env.advance(20);
  expect(service.follows).toEqual([]);
  expect(service.exports).toMatchObject([{ images: ['img_1', 'img_2', 'img_3'] }]);
});

test('a sample is no export, whether it runs or has ended', async () => {
  const service = withImages(1);
  const { optimizer, env } = await openPage(service);
  elsewhere(service, 'job_a', { kind: 'sample', results: [named('img_1')] });
  elsewhere(service, 'job_b', { kind: 'sample', status: 'processing' });
  void optimizer.exportImages();
  await env.advance(20);
  expect(service.follows).toEqual([]);
  expect(service.exports).toHaveLength(1);
});

test('of a part that was exported meanwhile, only the rest is sent and told before', async () => {
  const service = withImages();
  const { optimizer, env, details } = await openPage(service);
  elsewhere(service, 'job_a', { results: [named('img_1'), failedResult('img_2')], status: 'partial' });
  const exported = optimizer.exportImages();
  await env.advance(20);
  // What failed there is tried again here: that is what the button is for.
  expect(service.exports).toMatchObject([{ images: ['img_2', 'img_3'] }]);
  expect(details('io-before-export')).toMatchObject([
    { batches: 1, images: [{ imageId: 'img_2' }, { imageId: 'img_3' }] },
  ]);
  service.exports[0]?.run.push(completed([named('img_2'), named('img_3')]));
  expect(await exported).toMatchObject({ succeeded: 3, failed: 0 });
});

test('images that fail in an export that was joined are not sent at once, but by the next press', async () => {
  const service = withImages(2);
  const { optimizer, env } = await openPage(service);
  elsewhere(service, 'job_a', { status: 'processing' });
  const exported = optimizer.exportImages();
  await env.advance(20);
  const results: ImageResult[] = [named('img_1'), failedResult('img_2')];
  elsewhere(service, 'job_a', { status: 'partial', results });
  service.follows[0]?.run.push(completed(results));
  expect(await exported).toMatchObject({ succeeded: 1, failed: 1 });
  expect(service.exports).toEqual([]);
  void optimizer.retry();
  await env.advance(20);
  expect(service.exports).toMatchObject([{ images: ['img_2'] }]);
});

test('a file of another name than the image has now is no result', async () => {
  const service = withImages(2);
  const { optimizer, env } = await openPage(service);
  elsewhere(service, 'job_a', { results: [named('img_1'), named('img_2')] });
  service.session.images = [
    imageOf('img_1', { metadata: { ...describedAs(''), ...texts('bridge') } }),
    imageOf('img_2'),
  ];
  void optimizer.exportImages();
  await env.advance(20);
  expect(service.exports).toMatchObject([{ images: ['img_1'] }]);
});

test('texts that another page has changed are taken over, so that its export counts', async () => {
  const service = withImages(1);
  const { optimizer } = await openPage(service);
  service.session.images = [imageOf('img_1', { metadata: { ...describedAs('A bridge'), ...texts('bridge') } })];
  elsewhere(service, 'job_a', { results: [named('img_1', 'bridge')] });
  expect(await optimizer.exportImages()).toMatchObject({ succeeded: 1 });
  expect(service.exports).toEqual([]);
  expect(optimizer.items.list()[0]).toMatchObject({ status: 'done', stale: false, metadata: { filename: 'bridge' } });
});

test('an older file that a newer one of the same settings has replaced is not there any more', async () => {
  const service = withImages(1);
  const { optimizer, env } = await openPage(service);
  elsewhere(service, 'job_a', { results: [named('img_1')] });
  elsewhere(service, 'job_b', { results: [named('img_1', 'renamed for a while')] });
  void optimizer.exportImages();
  await env.advance(20);
  expect(service.exports).toHaveLength(1);
});

test('two pages that see the same send the same key; whoever has seen an export since sends another', async () => {
  const service = withImages(1);
  const pages = [await openPage(service), await openPage(service)];
  for (const { optimizer, env } of pages) {
    void optimizer.exportImages();
    await env.advance(20);
  }
  const [first, second] = service.exports;
  expect(first?.key).toMatch(/^sess_1:/);
  expect(second).toMatchObject({ key: first?.key, images: first?.images, settings: first?.settings });
  first?.run.push(completed([failedResult('img_1')]));
  await pages[0]?.env.advance(20);
  void pages[0]?.optimizer.retry();
  await pages[0]?.env.advance(20);
  expect(service.exports[2]).toMatchObject({ images: ['img_1'] });
  expect(service.exports[2]?.key).not.toBe(first?.key);
});

test('the key of the next batch follows the batch before, as another page would see it', async () => {
  const service = withImages(2);
  const page = await openPage(service, { batchSize: 1 });
  void page.optimizer.exportImages();
  await page.env.advance(20);
  service.exports[0]?.run.push(completed([named('img_1')]));
  await page.env.advance(20);
  const other = await openPage(service, { batchSize: 1 });
  void other.optimizer.exportImages();
  await other.env.advance(20);
  const [, next, others] = service.exports;
  expect(next).toMatchObject({ images: ['img_2'], key: others?.key });
  expect(others?.images).toEqual(['img_2']);
});

test('when another page that saw the same was first with something else, it looks again and joins', async () => {
  const service = withImages(2);
  const { optimizer, env } = await openPage(service);
  const exported = optimizer.exportImages();
  await env.advance(20);
  service.exports[0]?.run.fail(apiError(422, 'idempotency_mismatch'));
  elsewhere(service, 'job_a', { status: 'processing', total: 1 });
  await env.advance(1100);
  expect(service.follows.map(({ jobId }) => jobId)).toEqual(['job_a']);
  elsewhere(service, 'job_a', { results: [named('img_1')] });
  service.follows[0]?.run.push(completed([named('img_1')]));
  await env.advance(20);
  expect(service.exports[1]).toMatchObject({ images: ['img_2'], key: 'sess_1:job_a:0' });
  service.exports[1]?.run.push(completed([named('img_2')]));
  expect(await exported).toMatchObject({ succeeded: 2, failed: 0 });
});

test('a key that is taken by something nobody sees gives way to another one, and not for ever', async () => {
  const service = withImages(1);
  const { optimizer, env, details } = await openPage(service);
  const exported = optimizer.exportImages();
  await env.advance(20);
  for (let count = 1; count <= 6; count += 1) {
    expect(service.exports).toHaveLength(count);
    service.exports[count - 1]?.run.fail(apiError(422, 'idempotency_mismatch'));
    await env.advance(1100);
  }
  expect(await exported).toBeNull();
  expect(new Set(service.exports.map(({ key }) => key)).size).toBe(6);
  expect(details('io-error')).toMatchObject([{ error: { serviceCode: 'idempotency_mismatch' } }]);
});

test('an export elsewhere that was refused is forgotten, and this one is sent', async () => {
  const service = withImages(1);
  const { optimizer, env, details } = await openPage(service);
  elsewhere(service, 'job_a', { status: 'created' });
  void optimizer.exportImages();
  await env.advance(20);
  service.session.jobs = [];
  service.follows[0]?.run.fail(apiError(404, 'job_not_found'));
  await env.advance(20);
  expect(service.exports).toHaveLength(1);
  expect(details('io-error')).toEqual([]);
});

test('an export elsewhere that is cancelled there sends nothing here', async () => {
  const service = withImages(1);
  const { optimizer, env } = await openPage(service);
  elsewhere(service, 'job_a', { status: 'processing' });
  const exported = optimizer.exportImages();
  await env.advance(20);
  elsewhere(service, 'job_a', { status: 'cancelled', results: [failedResult('img_1', 'job_cancelled')] });
  const data = { error: 'x', code: 'job_cancelled', jobId: 'job_a', results: [failedResult('img_1', 'job_cancelled')] };
  service.follows[0]?.run.push({ event: 'error', data });
  await exported;
  expect(service.exports).toEqual([]);
  expect(optimizer.items.list()[0]).toMatchObject({ status: 'ready', error: null });
});

test('while the session cannot be looked at, nothing is sent, and retry does it all', async () => {
  const service = withImages(1);
  const { optimizer, env, details } = await openPage(service);
  const { getSession } = service.transport;
  const down = async () => {
    throw connectionError();
  };
  optimizer.configure({ transport: { ...service.transport, getSession: down } });
  expect(await optimizer.exportImages()).toBeNull();
  expect(details('io-error')).toMatchObject([{ phase: 'export', error: { code: 'network' } }]);
  expect(optimizer.notices).toMatchObject([{ actions: ['retry'] }]);
  expect(service.exports).toEqual([]);
  optimizer.configure({ transport: { ...service.transport, getSession } });
  void optimizer.retry();
  await env.advance(20);
  expect(service.exports).toHaveLength(1);
});

test('when the connection breaks while another page’s export is followed, what is there already has not failed', async () => {
  const service = withImages(2);
  const { optimizer, env } = await openPage(service);
  elsewhere(service, 'job_a', { results: [named('img_1')] });
  elsewhere(service, 'job_b', { status: 'processing' });
  const exported = optimizer.exportImages();
  await env.advance(20);
  service.follows[0]?.run.fail(connectionError('stream_interrupted'));
  expect(await exported).toMatchObject({ succeeded: 1 });
  expect(optimizer.items.list().map(({ status }) => status)).toEqual(['done', 'failed']);
});

test('a cancel while the session is looked at leaves the other page’s export alone', async () => {
  const service = withImages(1);
  const { optimizer, env, said } = await openPage(service);
  elsewhere(service, 'job_a', { status: 'processing' });
  let answer = () => {};
  const getSession = () =>
    new Promise<typeof service.session>((resolve) => {
      answer = () => resolve(service.session);
    });
  optimizer.configure({ transport: { ...service.transport, getSession } });
  const exported = optimizer.exportImages();
  await env.advance(20);
  optimizer.cancel();
  answer();
  expect(await exported).toBeNull();
  await env.advance(5000);
  expect([service.follows, service.exports]).toEqual([[], []]);
  expect(said.at(-1)?.text).toBe('announce.cancelled');
  expect(optimizer).toMatchObject({ state: 'ready', cancelling: false, notices: [] });
});
