import { expect, test } from 'vitest';
import type { ImageResult } from '#contract';
import { completed, describedAs, failedResult, imageOf, progressed, resultOf } from '../scripted-service.ts';
import { ELSEWHERE, elsewhere, named, openPage, texts, withImages } from './shared-session.ts';

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

test('after that outcome, other settings are exported as ever', async () => {
  const service = withImages();
  const { optimizer, env } = await openPage(service);
  elsewhere(service, 'job_a', { results: ['img_1', 'img_2', 'img_3'].map((id) => named(id)) });
  await optimizer.exportImages();
  optimizer.setSettings({ format: 'avif' });
  void optimizer.exportImages();
  await env.advance(20);
  expect(service.exports.map(({ images }) => images.length)).toEqual([3]);
  expect(optimizer.notices).toEqual([]);
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
  // Images that failed there are tried again here, by the button.
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

test('a file of another name than the image has now is its result: the service renames it for nothing', async () => {
  const service = withImages(2);
  const { optimizer, env } = await openPage(service);
  elsewhere(service, 'job_a', { results: [named('img_1'), named('img_2')] });
  service.session.images = [
    imageOf('img_1', { metadata: { ...describedAs(''), ...texts('bridge') } }),
    imageOf('img_2'),
  ];
  void optimizer.exportImages();
  await env.advance(20);
  expect(service.exports).toEqual([]);
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

test('of two exports with the same settings, the newest result of an image is taken', async () => {
  const service = withImages(1);
  const { optimizer, env } = await openPage(service);
  elsewhere(service, 'job_a', { results: [named('img_1')] });
  elsewhere(service, 'job_b', { results: [named('img_1', 'renamed for a while')] });
  void optimizer.exportImages();
  await env.advance(20);
  expect(service.exports).toEqual([]);
  expect(optimizer.items.list()[0]?.result).toMatchObject({ metadata: { filename: 'renamed for a while' } });
});
