import { expect, test } from 'vitest';
import { apiError, connectionError, createScriptedService, describedAs, progressed } from '../scripted-service.ts';
import { startWithFiles } from '../started-optimizer.ts';

const analysisOf = (imageId: string, alt: string) => ({
  imageId,
  clientRef: null,
  status: 'completed' as const,
  originalFilename: 'x.jpg',
  metadata: describedAs(alt),
  aiStatus: 'completed' as const,
  fromCache: false,
  creditsCharged: 0,
  error: null,
});
const failedAnalysis = (imageId: string, code: string) => ({
  ...analysisOf(imageId, ''),
  status: 'failed' as const,
  metadata: null,
  error: { code, message: code },
});
const ended = (results: ReturnType<typeof analysisOf>[] | ReturnType<typeof failedAnalysis>[]) =>
  ({ event: 'complete', data: { jobId: 'job', status: 'completed', results } }) as const;

test('rows fill while the analysis runs, with where each text came from', async () => {
  const { optimizer, service, env, details, ids } = await startWithFiles(2);
  const analyzed = optimizer.analyze();
  await env.advance(20);
  expect(optimizer.state).toBe('analyzing');
  const run = service.analyses[0]?.run;
  run?.push(progressed('img_1', 'describe'));
  run?.push(progressed('img_1', 'done', { status: 'completed', metadata: describedAs('A tower') }));
  await env.advance(20);
  expect(optimizer.items.list()).toMatchObject([
    { status: 'ready', metadata: { alt: 'A tower' }, origins: { alt: 'ai' }, analyzed: true },
    { status: 'analyzing', metadata: { alt: null }, analyzed: false },
  ]);
  run?.push(ended([analysisOf('img_1', 'A tower'), analysisOf('img_2', 'A lake')]));
  await analyzed;
  await env.advance(20);
  expect(optimizer.items.list()[1]).toMatchObject({ status: 'ready', metadata: { alt: 'A lake' } });
  expect(details('io-analyze')).toMatchObject([{ items: [{ id: ids()[0] }, { id: ids()[1] }] }]);
  expect(details('io-metadata-change').filter(({ field }) => field === 'alt')).toMatchObject([
    { value: 'A tower', previous: null, origin: 'ai' },
    { value: 'A lake', previous: null, origin: 'ai' },
  ]);
  expect(optimizer.state).toBe('ready');
});

test('what a person writes while the analysis runs stays, saved or not', async () => {
  const { optimizer, service, env, ids } = await startWithFiles(2);
  const [first = '', second = ''] = ids();
  const analyzed = optimizer.analyze();
  await env.advance(20);
  optimizer.setMetadata(first, 'alt', 'Mine, on its way');
  optimizer.setMetadata(second, 'alt', 'Mine, saved');
  await env.advance(1000);
  optimizer.setMetadata(first, 'title', 'Mine, unsaved');
  const run = service.analyses[0]?.run;
  run?.push(ended([analysisOf('img_1', 'By the model'), analysisOf('img_2', 'By the model')]));
  await analyzed;
  expect(optimizer.items.list()).toMatchObject([
    {
      metadata: { alt: 'Mine, on its way', title: 'Mine, unsaved', filename: 'a-file' },
      origins: { alt: 'user', filename: 'ai' },
    },
    { metadata: { alt: 'Mine, saved', title: 'A title' } },
  ]);
});

test('edits are at the service before it is asked to describe', async () => {
  const order: string[] = [];
  const good = createScriptedService();
  const service = createScriptedService({
    async updateImage(...args) {
      order.push('save');
      return good.transport.updateImage(...args);
    },
    analyzeImages(...args) {
      order.push('analyze');
      return good.transport.analyzeImages(...args);
    },
  });
  const { optimizer, env, ids } = await startWithFiles(1, {}, { service });
  optimizer.setMetadata(ids()[0] ?? '', 'alt', 'Mine');
  void optimizer.analyze();
  await env.advance(20);
  expect(order).toEqual(['save', 'analyze']);
});

test('missing asks only for images without texts', async () => {
  const { optimizer, service, env, ids } = await startWithFiles(3);
  optimizer.setMetadata(ids()[0] ?? '', 'alt', 'x');
  optimizer.setMetadata(ids()[0] ?? '', 'title', 'x');
  void optimizer.analyze(undefined, { missing: true });
  await env.advance(20);
  expect(service.analyses[0]?.images).toEqual(['img_2', 'img_3']);
});

test('a text that was overwritten on request can be taken back', async () => {
  const { optimizer, service, env, ids } = await startWithFiles(1, { analyzeOptions: { language: 'de' } });
  const [id = ''] = ids();
  optimizer.setMetadata(id, 'alt', 'Mine');
  const analyzed = optimizer.analyze([id], { overwrite: true });
  await env.advance(20);
  expect(service.analyses[0]?.options).toEqual({ language: 'de', overwrite: true });
  service.analyses[0]?.run.push(ended([analysisOf('img_1', 'By the model')]));
  await analyzed;
  expect(optimizer.items.get(id)?.metadata.alt).toBe('By the model');
  optimizer.undo();
  expect(optimizer.items.get(id)).toMatchObject({ metadata: { alt: 'Mine' }, origins: { alt: 'user' } });
});

test('images that fail say so and are tried again alone', async () => {
  const { optimizer, service, env } = await startWithFiles(2);
  const analyzed = optimizer.analyze();
  await env.advance(20);
  service.analyses[0]?.run.push(
    ended([analysisOf('img_1', 'x'), failedAnalysis('img_2', 'processing_failed')] as never),
  );
  await analyzed;
  expect(optimizer.items.list().map(({ status }) => status)).toEqual(['ready', 'failed']);
  expect(optimizer.notices).toMatchObject([{ message: 'notice.analyze_failed 1', actions: ['retry'] }]);
  void optimizer.retry();
  await env.advance(20);
  expect(service.analyses[1]?.images).toEqual(['img_2']);
});

test('cancel asks the service to stop and marks nothing as failed', async () => {
  const { optimizer, service, env } = await startWithFiles(2);
  const analyzed = optimizer.analyze();
  await env.advance(20);
  service.analyses[0]?.run.push(progressed('img_1', 'describe'));
  await env.advance(20);
  optimizer.cancel();
  await env.advance(20);
  expect(service.analyses[0]?.run.cancelled).toBe(true);
  const results = [failedAnalysis('img_1', 'job_cancelled'), failedAnalysis('img_2', 'job_cancelled')];
  service.analyses[0]?.run.push({ event: 'error', data: { error: 'x', code: 'job_cancelled', jobId: 'j', results } });
  await analyzed;
  await env.advance(20);
  expect(optimizer.items.list().map(({ status }) => status)).toEqual(['ready', 'ready']);
  expect(optimizer.notices).toEqual([]);
  expect(optimizer.state).toBe('ready');
});

test('auto-analyze describes new images when their upload is through, and no image twice', async () => {
  const { optimizer, service, env } = await startWithFiles(2, { autoAnalyze: true });
  await env.advance(20);
  expect(service.analyses.map(({ images }) => images)).toEqual([['img_1', 'img_2']]);
  service.analyses[0]?.run.push(ended([analysisOf('img_1', 'x'), analysisOf('img_2', 'y')]));
  await env.advance(20);
  await optimizer.addFiles([new File(['more'], 'more.png', { type: 'image/png' })]);
  await env.advance(20);
  expect(service.analyses.map(({ images }) => images)).toEqual([['img_1', 'img_2'], ['img_3']]);
});

test('a refused analysis is an error of the whole, and texts and rows stay as they were', async () => {
  const { optimizer, service, env, details } = await startWithFiles(1);
  const analyzed = optimizer.analyze();
  await env.advance(20);
  service.analyses[0]?.run.fail(apiError(503, 'overloaded'));
  await analyzed;
  await env.advance(20);
  expect(details('io-error')).toMatchObject([
    { phase: 'analyze', error: { code: 'server', serviceCode: 'overloaded' } },
  ]);
  expect(optimizer.items.list()[0]).toMatchObject({ status: 'ready', error: null });
  // "Describe" is where it was; a second button would have nothing to do.
  expect(optimizer.notices).toMatchObject([{ phase: 'analyze', actions: [] }]);
});

test('an analysis and a sample that lost the connection are done again by retry', async () => {
  const { optimizer, service, env, ids } = await startWithFiles(2);
  void optimizer.analyze();
  await env.advance(20);
  const metadata = describedAs('One');
  service.analyses[0]?.run.push(progressed('img_1', 'done', { status: 'completed', metadata }));
  service.analyses[0]?.run.fail(connectionError());
  await env.advance(20);
  expect(optimizer.notices).toMatchObject([{ phase: 'analyze', actions: ['retry'] }]);
  expect(optimizer.items.list().map(({ status }) => status)).toEqual(['ready', 'failed']);
  void optimizer.retry();
  await env.advance(20);
  expect(service.analyses.map(({ images }) => images)).toEqual([['img_1', 'img_2'], ['img_2']]);
  service.analyses[1]?.run.push(progressed('img_2', 'done', { status: 'completed', metadata }));
  const end = { jobId: 'j', status: 'completed', results: [] };
  service.analyses[1]?.run.push({ event: 'complete', data: end });
  await env.advance(20);

  void optimizer.sample(ids());
  await env.advance(20);
  service.samples[0]?.run.fail(connectionError());
  await env.advance(20);
  expect(optimizer.notices).toMatchObject([{ phase: 'sample', actions: ['retry'] }]);
  void optimizer.retry();
  await env.advance(20);
  expect(service.samples.map(({ images }) => images)).toEqual([
    ['img_1', 'img_2'],
    ['img_1', 'img_2'],
  ]);
});

test('images that wait for a model say so, and those without a description are one press away from another try', async () => {
  const { optimizer, service, env } = await startWithFiles(2);
  const analyzed = optimizer.analyze();
  await env.advance(20);
  service.analyses[0]?.run.push(progressed('img_1', 'wait_for_model'));
  await env.advance(20);
  expect(optimizer.items.list()[0]).toMatchObject({ status: 'analyzing', step: 'wait_for_model' });
  const unavailable = { ...analysisOf('img_2', ''), aiStatus: 'unavailable' as const, aiReason: 'loading' };
  service.analyses[0]?.run.push(ended([analysisOf('img_1', 'A tower'), unavailable] as never));
  await analyzed;
  await env.advance(20);
  const [notice] = optimizer.notices.filter(({ phase }) => phase === 'analyze');
  expect(notice).toMatchObject({ kind: 'warning', actions: ['retry'] });
  expect(notice?.message).toBe('notice.analysis_loading 1');
  const again = optimizer.retry();
  await env.advance(20);
  expect(service.analyses[1]?.images).toEqual(['img_2']);
  service.analyses[1]?.run.push(ended([analysisOf('img_2', 'A lake')]));
  await again;
  await env.advance(20);
  expect(optimizer.notices.filter(({ phase }) => phase === 'analyze')).toEqual([]);
});
