import { expect, test } from 'vitest';
import type { Job } from '#contract';
import {
  jobOf as anyJob,
  apiError,
  completed,
  connectionError,
  createScriptedService,
  describedAs,
  imageOf,
  progressed,
  resultOf,
} from '../scripted-service.ts';
import { startOptimizer, startWithFiles } from '../started-optimizer.ts';
import { createTestEnvironment } from '../test-environment.ts';

const settings = {
  format: 'avif',
  preset: 'low',
  responsive: false,
  embedMetadata: false,
  keepCopyright: true,
} as const;

const jobOf = (jobId: string, changes: Partial<Job> = {}) => anyJob(jobId, { settings, ...changes });

/** A service that knows a session with two images and these jobs, newest first. */
function withJobs(jobs: Job[]) {
  const service = createScriptedService();
  service.session.images = [imageOf('img_1'), imageOf('img_2', { metadata: describedAs('Two') })];
  service.session.jobs = jobs.map(({ results: _, ...job }) => job);
  for (const job of jobs) service.jobs.set(job.jobId, job);
  return service;
}

test('images, texts and where they came from are there again', async () => {
  const { optimizer, details } = startOptimizer({}, { service: withJobs([]) });
  await optimizer.attach('sess_1');
  expect(optimizer.items.list()).toMatchObject([
    { imageId: 'img_1', status: 'ready', file: null, metadata: { alt: null } },
    { imageId: 'img_2', status: 'ready', metadata: { alt: 'Two' }, origins: { alt: 'ai' }, analyzed: true },
  ]);
  expect(details('io-add')).toHaveLength(1);
});

test('results of ended exports are there again, the newest of each image; other settings make them stale', async () => {
  const newer = jobOf('job_2', { results: [resultOf('img_1', { filename: 'newer.avif' })] });
  const older = jobOf('job_1', { results: [resultOf('img_1', { filename: 'older.avif' }), resultOf('img_2')] });
  const { optimizer, env } = startOptimizer({ settings }, { service: withJobs([newer, older]) });
  await optimizer.attach('sess_1');
  expect(optimizer.results.map(({ filename }) => filename)).toEqual(['newer.avif', 'img_2.webp']);
  expect(optimizer.state).toBe('done');
  optimizer.setSettings({ preset: 'high' });
  await env.advance(20);
  expect(optimizer.state).toBe('ready');
  expect(optimizer.counts.toExport).toBe(2);
});

test('the newest sample is there again, and is no result', async () => {
  const sample = jobOf('job_1', { kind: 'sample', results: [resultOf('img_1')] });
  const { optimizer, service } = startOptimizer({}, { service: withJobs([sample]) });
  await optimizer.attach('sess_1');
  expect(optimizer.samples).toHaveLength(1);
  expect(optimizer.results).toEqual([]);
  const [id = ''] = optimizer.items.list().map((item) => item.id);
  await expect(optimizer.download(id)).rejects.toMatchObject({ code: 'not_found' });
  await expect(optimizer.replace(id)).rejects.toMatchObject({ code: 'not_found' });
  expect(await (await optimizer.fetchResult(id, 'sample')).text()).toBe('sess_1-sample/img_1.webp');
  expect(service.exports).toEqual([]);
});

test('running exports are joined one after the other, the oldest first', async () => {
  const jobs = [jobOf('job_2', { status: 'created', total: 1 }), jobOf('job_1', { status: 'processing', total: 1 })];
  const { optimizer, service, env } = startOptimizer({ settings }, { service: withJobs(jobs) });
  await optimizer.attach('sess_1');
  await env.advance(20);
  expect(service.follows.map(({ jobId }) => jobId)).toEqual(['job_1']);
  service.follows[0]?.run.push(progressed('img_1', 'optimize'));
  await env.advance(20);
  expect(optimizer.items.list()[0]?.status).toBe('exporting');
  service.follows[0]?.run.push(completed([resultOf('img_1')]));
  await env.advance(20);
  expect(service.follows.map(({ jobId }) => jobId)).toEqual(['job_1', 'job_2']);
  service.follows[1]?.run.push(completed([resultOf('img_2')]));
  await env.advance(20);
  expect(optimizer.state).toBe('done');
  expect(service.exports).toEqual([]);
});

test('a running analysis is joined and fills its rows', async () => {
  const running = jobOf('job_1', { kind: 'analyze', status: 'processing', settings: null });
  const { optimizer, service, env } = startOptimizer({}, { service: withJobs([running]) });
  await optimizer.attach('sess_1');
  await env.advance(20);
  expect(optimizer.state).toBe('analyzing');
  const metadata = describedAs('One');
  service.follows[0]?.run.push(progressed('img_1', 'done', { status: 'completed', metadata }));
  await env.advance(20);
  expect(optimizer.items.list()[0]?.metadata.alt).toBe('One');
});

test('the order of the list and what was removed from it are kept', async () => {
  const stored = new Map<string, string>();
  const before = await startWithFiles(3, {}, { env: createTestEnvironment(stored) });
  before.optimizer.remove(before.ids()[1] ?? '');
  await before.env.advance(1000);
  before.optimizer.dispose();
  before.service.session.images.reverse();
  const after = startOptimizer({}, { service: before.service, env: createTestEnvironment(stored) });
  await after.optimizer.attach('sess_1');
  expect(after.optimizer.items.list().map(({ imageId }) => imageId)).toEqual(['img_1', 'img_3']);
});

test('a session that has expired says so and leaves the widget ready for new images', async () => {
  const service = createScriptedService({
    getSession: async () => {
      throw apiError(404, 'session_not_found');
    },
  });
  const { optimizer, details } = startOptimizer({}, { service });
  await optimizer.attach('sess_old');
  expect(details('io-error')).toMatchObject([{ phase: 'attach', error: { code: 'not_found' } }]);
  expect(optimizer).toMatchObject({ state: 'empty', sessionId: null });
});

test('a session that cannot be read for want of a connection is read by retry', async () => {
  let down = true;
  const good = withJobs([]);
  const service = createScriptedService({
    async getSession(...args) {
      if (down) throw connectionError();
      return good.transport.getSession(...args);
    },
  });
  const { optimizer } = startOptimizer({}, { service });
  await optimizer.attach('sess_1');
  expect(optimizer.state).toBe('error');
  down = false;
  await optimizer.retry();
  expect(optimizer.items.size).toBe(2);
});

test('of two sessions that are asked for at once the later one is shown', async () => {
  const answers = new Map<string, () => void>();
  const service = createScriptedService({
    getSession: (sessionId) =>
      new Promise((resolve) => {
        const images = [imageOf(`img_of_${sessionId}`)];
        answers.set(sessionId, () => resolve({ ...service.session, sessionId, images }));
      }),
  });
  const { optimizer, env } = startOptimizer({}, { service });
  const first = optimizer.attach('sess_a');
  await env.advance(20);
  const second = optimizer.attach('sess_b');
  await env.advance(20);
  answers.get('sess_b')?.();
  await second;
  answers.get('sess_a')?.();
  await first;
  expect(optimizer.items.list().map(({ imageId }) => imageId)).toEqual(['img_of_sess_b']);
  expect(optimizer.sessionId).toBe('sess_b');
});

test('going to another session leaves the export of this one running', async () => {
  const { optimizer, service, env } = await startWithFiles(1);
  void optimizer.exportImages();
  await env.advance(20);
  service.session.images = [];
  await optimizer.attach('sess_1');
  expect(service.exports[0]?.run).toMatchObject({ cancelled: false, closed: true });
});

test('a state that was kept elsewhere brings everything back', async () => {
  const before = startOptimizer({}, { service: withJobs([]) });
  await before.optimizer.attach('sess_1');
  before.optimizer.setSettings({ format: 'png' });
  before.optimizer.setMetadata(before.ids()[0] ?? '', 'title', 'Unsaved');
  const state = before.optimizer.getState();
  before.optimizer.dispose();
  const { optimizer } = startOptimizer({}, { service: withJobs([]) });
  await optimizer.restore(JSON.parse(JSON.stringify(state)));
  expect(optimizer.settings.format).toBe('png');
  expect(optimizer.items.list()[0]?.metadata.title).toBe('Unsaved');
});

test('when the connection to an export that was joined breaks, retry joins it again and asks for nothing else', async () => {
  const { optimizer, service, env } = startOptimizer(
    { settings },
    { service: withJobs([jobOf('job_1', { status: 'processing', total: 1 })]) },
  );
  await optimizer.attach('sess_1');
  await env.advance(20);
  service.follows[0]?.run.push(progressed('img_1', 'queued', { status: 'queued' }));
  await env.advance(20);
  service.follows[0]?.run.fail(connectionError('stream_interrupted'));
  await env.advance(20);
  expect(optimizer.items.list().map(({ status }) => status)).toEqual(['failed', 'ready']);
  expect(optimizer.notices).toMatchObject([{ phase: 'export', actions: ['retry'] }]);
  void optimizer.retry();
  await env.advance(20);
  expect(service.follows.map(({ jobId }) => jobId)).toEqual(['job_1', 'job_1']);
  service.session.jobs = [jobOf('job_1')];
  service.follows[1]?.run.push(completed([resultOf('img_1')]));
  await env.advance(20);
  expect(optimizer.items.list().map(({ status }) => status)).toEqual(['done', 'ready']);
  expect(service.exports).toEqual([]);
});
