import { expect, test } from 'vitest';
import { apiError, completed, connectionError, failedResult } from '../scripted-service.ts';
import { elsewhere, named, openPage, withImages } from './shared-session.ts';

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
