import { expect, test, vi } from 'vitest';
import type { Limits, Session } from '#contract';
import { newGate } from '../../../support/gate.ts';
import { completed, connectionError, createScriptedService, imageOf, jobOf, resultOf } from '../scripted-service.ts';
import { fileOf, startOptimizer, startWithFiles } from '../started-optimizer.ts';
import { createTestEnvironment } from '../test-environment.ts';

// The first test meets a slow line; later ones have the code.
const line = vi.hoisted(() => ({ pass: async () => {} }));
vi.mock('../../../../widget/state/flow.ts', async (importOriginal) => {
  await line.pass();
  return importOriginal();
});

/** A session with one image, which is named after it. */
const sessionOf = (sessionId: string): Session => ({
  sessionId,
  createdAt: '',
  expiresAt: '',
  images: [imageOf(`img_of_${sessionId}`)],
  analysis: { status: 'none' },
  jobs: [],
});

test('files that are added before the remembered session is there stay, and go to that session', async () => {
  const gate = newGate();
  line.pass = gate.pass;
  const kept = { version: 1, sessionId: 'sess_a', settings: {}, edits: {}, order: [], items: [], removed: [] };
  const env = createTestEnvironment(new Map([['imagewright:work', JSON.stringify(kept)]]));
  const service = createScriptedService({ getSession: async (id) => sessionOf(id) });
  const { optimizer } = startOptimizer({ remember: 'work' }, { service, env });
  const recalled = optimizer.recall();
  await gate.reached;
  const added = optimizer.addFiles([fileOf('new.jpg')]);
  // The checks of files are loaded, too.
  await vi.waitFor(() => expect(optimizer.items.list().map(({ name }) => name)).toEqual(['new.jpg']));
  gate.open();
  await Promise.all([recalled, added]);
  await env.advance(20);
  expect(optimizer.items.list().map(({ name }) => name)).toEqual(['new.jpg', 'img_of_sess_a.jpg']);
  expect(service.uploads).toMatchObject([{ name: 'new.jpg', session: 'sess_a' }]);
});

test('files that are added while a session is read go to that session', async () => {
  const gate = newGate();
  const service = createScriptedService({
    async getSession(id) {
      await gate.pass();
      return sessionOf(id);
    },
  });
  const { optimizer, env } = startOptimizer({}, { service });
  const attached = optimizer.attach('sess_a');
  await gate.reached;
  await optimizer.addFiles([fileOf('new.jpg')]);
  await env.advance(20);
  gate.open();
  await attached;
  await env.advance(20);
  expect(service.uploads).toMatchObject([{ name: 'new.jpg', session: 'sess_a' }]);
  expect(optimizer).toMatchObject({ sessionId: 'sess_a', counts: { uploaded: 2 } });
});

test('of two sessions that are asked for before the code is there only the later one is shown; cleared, none', async () => {
  const service = createScriptedService({ getSession: async (id) => sessionOf(id) });
  const { optimizer } = startOptimizer({}, { service });
  await Promise.all([optimizer.attach('sess_a'), optimizer.attach('sess_b')]);
  expect(optimizer.items.list().map(({ imageId }) => imageId)).toEqual(['img_of_sess_b']);
  const third = optimizer.attach('sess_c');
  optimizer.clear();
  await third;
  expect(optimizer).toMatchObject({ state: 'empty', sessionId: null });
});

test('an export of a session that was left is no outcome of the one that is shown', async () => {
  const { optimizer, service, env, details } = await startWithFiles(2, { batchSize: 1 });
  const { getSession } = service.transport;
  service.transport.getSession = async (id) => (id === 'sess_b' ? sessionOf(id) : getSession(id));
  const run = optimizer.exportImages();
  await env.advance(20);
  service.exports[0]?.run.push(completed([resultOf('img_1')]));
  await env.advance(20);
  expect(service.exports).toHaveLength(2);
  await optimizer.attach('sess_b');
  expect(await run).toBeNull();
  await env.advance(3000);
  expect(optimizer).toMatchObject({ state: 'ready', outcome: null });
  expect(details('io-export')).toEqual([]);
});

test('files that are added after a session could not be read wait for it, and keep it remembered', async () => {
  let down = true;
  const service = createScriptedService({
    async getSession(id) {
      if (down) throw connectionError();
      return sessionOf(id);
    },
  });
  const { optimizer, env } = startOptimizer({ remember: 'work' }, { service });
  await optimizer.attach('sess_a');
  expect(optimizer.state).toBe('error');
  down = false;
  await optimizer.addFiles([fileOf('new.jpg')]);
  await env.advance(20_000);
  expect(service.uploads).toEqual([]);
  await optimizer.retry();
  await env.advance(20);
  expect(optimizer.items.list().map(({ name, status }) => [name, status])).toEqual([
    ['new.jpg', 'ready'],
    ['img_of_sess_a.jpg', 'ready'],
  ]);
  expect(service.uploads).toMatchObject([{ name: 'new.jpg', session: 'sess_a' }]);
  expect(JSON.parse(env.stored.get('imagewright:work') ?? '')).toMatchObject({ sessionId: 'sess_a' });
});

test('a session whose results could not be read is read again with its images once, and later texts', async () => {
  let down = true;
  const job = jobOf('job_1', { results: [resultOf('img_of_sess_a')] });
  const service = createScriptedService({
    getSession: async (id) => ({ ...sessionOf(id), jobs: [job] }),
    async getJob() {
      if (down) throw connectionError();
      return job;
    },
  });
  const { optimizer, env, ids, details } = startOptimizer({}, { service });
  await optimizer.attach('sess_a');
  optimizer.setMetadata(ids()[0] ?? '', 'alt', 'Typed since');
  down = false;
  await optimizer.retry();
  await env.advance(20);
  expect(optimizer.items.list()).toMatchObject([{ status: 'done', metadata: { alt: 'Typed since' } }]);
  expect(details('io-add')).toMatchObject([{ items: [{ imageId: 'img_of_sess_a' }] }]);
  expect(optimizer.notices).toEqual([]);
});

test('once cleared, a session that could not be read is forgotten', async () => {
  const getSession = () => Promise.reject(connectionError());
  const service = createScriptedService({ getSession });
  const { optimizer, env } = startOptimizer({}, { service });
  await optimizer.attach('sess_a');
  optimizer.clear();
  await optimizer.addFiles([fileOf('new.jpg')]);
  await env.advance(20);
  await optimizer.retry();
  expect(optimizer).toMatchObject({ state: 'ready', sessionId: 'sess_1' });
});

test('the limits of the service are asked for with the session, so that its steps are named as they are', async () => {
  const service = createScriptedService({
    getSession: async (id) => sessionOf(id),
    getLimits: async () => ({ describes: false }) as Limits,
  });
  const { optimizer } = startOptimizer({}, { service });
  await optimizer.attach('sess_a');
  await vi.waitFor(() => expect(optimizer.limits).toMatchObject({ describes: false }));
});
